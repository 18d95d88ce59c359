import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRequestMeasure } from '../gateway/services/read-request-spans.ts';
import { forAll } from '../testkit/for-all.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { type RecordedRequest, reply, toolCall } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';
import { measureRequest, REQUEST_PARTS, type RequestMeasure, type RequestPartName } from './measure-request.ts';
import type { ToldSpan } from './request-text.ts';

const KEY = 'agent:main:test:direct:owner';

describe('the sizes of a request', () => {
  it('account for everything that was sent, and agree with what the provider counted', async () => {
    const scratch = await gatewayForTest({ files: { 'workspace/AGENTS.md': '# Rules\n\nBe brief.\n' } });
    on(scratch.hooks, 'before_prompt_build', { owner: 'weather', pure: true }, () => ({ prependContext: 'It rains.' }));
    const countOf = ({ body }: RecordedRequest) => Math.round(body.length / 3);
    scratch.model.script([reply('Good morning.')]);
    await say(scratch, 'Good morning');
    scratch.model.script((request) =>
      request.body.includes('"role":"tool"')
        ? reply('Be brief.', { usage: { input: countOf(request) } })
        : toolCall('read', { path: 'AGENTS.md' }),
    );
    const runId = await say(scratch, 'What are the rules?');
    const measure = await readRequestMeasure(scratch.store, runId);

    expect(sizes(measure)).toMatchObject({
      system: { count: 2 },
      history: { count: 2, chars: 'It rains.\n\nGood morning'.length + 'Good morning.'.length },
      message: { count: 1, chars: 'It rains.\n\nWhat are the rules?'.length },
      steps: { count: 2 },
    });
    const body = scratch.model.requests.at(-1)?.json as { tools: unknown[] };
    const tools = part(measure, 'tools');
    expect(tools?.count).toBe(body.tools.length);
    expect(tools?.authors.map(({ origin }) => origin)).toContain('tool read');
    expect(part(measure, 'message')?.authors.map(({ origin }) => origin)).toContain('before_prompt_build of weather');
    expect(part(measure, 'steps')?.authors.map(({ origin }) => origin)).toEqual(['model', 'tool read']);

    const counted = countOf(scratch.model.requests.at(-1) as RecordedRequest);
    expect(measure).toMatchObject({ tokens: counted, counted: { tokens: counted, isCredible: true } });
    expect(measure?.room?.window).toBeGreaterThan(counted);
    expect(measure?.room?.free).toBe((measure?.room?.window ?? 0) - counted);
    expect(measure?.room?.untilCompaction).toBe((measure?.room?.compactsAt ?? 0) - counted);
    expectSums(measure);
  });

  it('are the same in a preview and in the run', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(() => reply('Yes.', { usage: { input: 0 } }));
    await say(scratch, 'One');
    const preview = await scratch.services.context.preview({ sessionKey: KEY, message: 'Two', channel: 'test:owner' });
    const runId = await say(scratch, 'Two');
    expect(await readRequestMeasure(scratch.store, runId)).toEqual(preview.request);
  });

  it('are estimates where the count of the provider cannot be right, and say so', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(() => reply('Yes.', { usage: { input: 9_000_000 } }));
    const measure = await readRequestMeasure(scratch.store, await say(scratch, 'One'));
    expect(measure?.counted).toEqual({ tokens: 9_000_000, isCredible: false });
    expect(measure?.tokens).toBeLessThan(100_000);
  });

  it('tell the message from the history after a compaction in the middle of the run', async () => {
    const window = 2_000;
    const scratch = await gatewayForTest({
      provider: { models: [{ id: 'small', contextWindow: window }] },
      files: { 'workspace/long.txt': 'word '.repeat(700) },
      config: {
        agents: { defaults: { model: 'fake/small', skipBootstrap: true } },
        tools: { allow: ['read'] },
      },
    });
    scratch.model.script((request) => {
      if (JSON.stringify(request.json.messages).includes('Write a summary') || !request.json.tools)
        return reply('Boats.');
      const last = (request.json.messages as { role: string; content: string }[]).at(-1);
      return last?.role === 'user' && last.content === 'Read it'
        ? toolCall('read', { path: 'long.txt' })
        : reply('Noted.', { usage: { input: 0 } });
    });
    for (const at of [1, 2, 3]) await say(scratch, `message ${at} ${'word '.repeat(250)}`);
    const runId = await say(scratch, 'Read it');
    expect(await scratch.store.count('transcript', { kind: 'compaction', runId })).toBeGreaterThan(0);
    const measure = await readRequestMeasure(scratch.store, runId);
    expect(part(measure, 'message')).toMatchObject({ count: 1, chars: 'Read it'.length });
    expect(part(measure, 'steps')?.count).toBe(2);
    expect(part(measure, 'history')?.count).toBeGreaterThan(0);
  });

  it('add up, whatever the pieces are', () => {
    const piece = fc.record({
      where: fc.constantFrom('system', 'tools', 'messages'),
      index: fc.nat(4),
      origin: fc.constantFrom('model', 'message', 'AGENTS.md, lines 2-3', 'AGENTS.md, line 9', 'tool read'),
      text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      isKept: fc.boolean(),
    });
    forAll(
      [fc.array(piece), fc.nat(4), fc.double({ min: 0.5, max: 2, noNaN: true })],
      (pieces, messageIndex, scale) => {
        const spans = pieces.map(({ text, isKept, where, ...rest }): ToldSpan => {
          return { ...rest, where: where as ToldSpan['where'], chars: text.length, ...(isKept ? { text } : {}) };
        });
        const measure = measureRequest({ spans, messageIndex, scale });
        expectSums(measure);
        expect(measure.chars).toBe(spans.reduce((sum, { chars }) => sum + chars, 0));
        expect(measure.parts.map((each) => each.part)).toEqual([...REQUEST_PARTS]);
      },
    );
  });
});

async function say(scratch: ScratchGateway, text: string): Promise<string> {
  const { runId } = await scratch.channel.says({}, text, { sessionKey: KEY });
  await scratch.services.runs.wait(runId);
  return runId;
}

function part(measure: RequestMeasure | undefined, name: RequestPartName) {
  return measure?.parts.find((each) => each.part === name);
}

function sizes(measure: RequestMeasure | undefined) {
  return Object.fromEntries(measure?.parts.map(({ part: name, count, chars }) => [name, { count, chars }]) ?? []);
}

function expectSums(measure: RequestMeasure | undefined): void {
  const sumOf = (items: readonly { chars: number; tokens: number }[]) => ({
    chars: items.reduce((sum, { chars }) => sum + chars, 0),
    tokens: items.reduce((sum, { tokens }) => sum + tokens, 0),
  });
  expect(measure).toMatchObject(sumOf(measure?.parts ?? []));
  for (const each of measure?.parts ?? []) expect(each).toMatchObject(sumOf(each.authors));
}
