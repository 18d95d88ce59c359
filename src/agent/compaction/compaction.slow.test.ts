import { describe, expect, it } from 'vitest';
import { readRequestSpans } from '../../gateway/services/read-request-spans.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { readCapture } from '../../recorder/capture.ts';
import { gate } from '../../testkit/gate.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import {
  fail,
  hang,
  type ModelReply,
  type RecordedRequest,
  reply,
  toolCall,
  toolCalls,
} from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import type { ScratchGateway, ScratchGatewaySettings } from '../../testkit/scratch-gateway.ts';
import type { Tool } from '../../tools/tool.ts';
import { callOfSummary } from '../request-frame.ts';

const SUMMARY = 'Ann wants a blue boat and has a budget of nine coins.';

describe('a conversation that comes near the window', () => {
  it('goes on with a summary of its older part, and the recent part as it was said', async () => {
    const scratch = await smallWindow();
    await talk(scratch, 4);
    expect(scratch.store.commits.compaction).toBe(0);
    expect(summaries(scratch)).toHaveLength(0);

    await talk(scratch, 1, 5);
    const [summary] = summaries(scratch);
    expect(summary?.json).not.toHaveProperty('tools');
    expect(textOfRequest(summary)).toContain('{"who":"user","said":"message 1 word');
    expect(scratch.store.commits).toMatchObject({ compaction: 1, request: 5 });

    const [, first, ...rest] = messagesOf(scratch.model.requests.at(-1));
    expect(first).toMatchObject({ role: 'user', content: expect.stringContaining(SUMMARY) });
    expect(rest).toEqual([
      { role: 'user', content: `message 4 ${words(300)}` },
      { role: 'assistant', content: 'Noted 4.' },
      { role: 'user', content: `message 5 ${words(300)}` },
    ]);
    expect(await scratch.store.count('transcript', { kind: 'message' })).toBe(10);
    const [usage] = await scratch.store.select('usage', { where: { purpose: 'compaction' } });
    expect(usage).toMatchObject({ model: 'small', input: 70, output: 7 });
    const [row] = await compactions(scratch);
    expect(row?.meta).toMatchObject({ by: 'fake/small', why: 'size', pins: { added: [], lost: [] } });
    expect(Number(row?.meta.tokensAfter)).toBeLessThan(Number(row?.meta.tokensBefore));
    // The request for the summary can be shown again, like every other request.
    const kept = await readCapture(scratch.store, row?.runId ?? '', callOfSummary(1));
    expect(kept?.body).toBe(summary?.body);
  });

  it('keeps the beginning of its requests from one compaction to the next, and sums up the summary then', async () => {
    const scratch = await smallWindow();
    await talk(scratch, 5);
    const shortened = messagesOf(scratch.model.requests.at(-1));
    await talk(scratch, 1, 6);
    expect(messagesOf(scratch.model.requests.at(-1)).slice(0, shortened.length)).toEqual(shortened);
    await talk(scratch, 4, 7);
    expect((await compactions(scratch)).length).toBeGreaterThan(1);
    expect(textOfRequest(summaries(scratch)[1])).toContain('"who":"summary of what came before"');
    expect(textOfRequest(summaries(scratch)[1])).toContain(SUMMARY);
    const said = messagesOf(scratch.model.requests.at(-1)).map(({ content }) => String(content));
    expect(said.filter((text) => text.includes(SUMMARY))).toHaveLength(1);
  });

  it('sends the same bytes after a restart', async () => {
    const scratch = await smallWindow();
    await talk(scratch, 5);
    const preview = await scratch.services.context.preview({
      sessionKey: KEY,
      message: 'And now?',
      channel: 'test:owner',
    });
    await scratch.stop();
    await scratch.start();
    await scratch.channel.asks({}, 'And now?', /Noted/);
    expect(preview.placeholders).toEqual([]);
    expect(scratch.model.requests.at(-1)?.body).toBe(preview.wire.body);
  });

  it('is summed up in parts by a writer with a smaller window', async () => {
    const scratch = await smallWindow({
      window: 6_000,
      models: [{ id: 'tiny', contextWindow: 1_000 }],
      compaction: { model: 'fake/tiny', keepRecentTokens: 500 },
      summary: () => reply(`${SUMMARY} Part ${summaries(scratch).length}.`),
    });
    await talk(scratch, 16);
    const parts = summaries(scratch);
    expect(parts.length).toBeGreaterThan(5);
    for (const [index, part] of parts.entries()) {
      expect(part.json.model).toBe('tiny');
      expect(part.body.length).toBeLessThan(6_000);
      expect(textOfRequest(part).includes(`Part ${index}.`)).toBe(index > 0);
    }
    expect(String(messagesOf(scratch.model.requests.at(-1))[1]?.content)).toContain(`Part ${parts.length}.`);
  });

  it('tells a preview that a summary would come first', async () => {
    const scratch = await smallWindow();
    await talk(scratch, 4);
    const preview = await scratch.services.context.preview({ sessionKey: KEY, message: `message 5 ${words(300)}` });
    expect(preview.placeholders).toEqual(['compaction']);
    expect(summaries(scratch)).toHaveLength(0);
  });

  it('says who wrote every word of the request, then and of earlier ones', async () => {
    const scratch = await smallWindow({ config: { session: { pins: ['The door code is 4711.'] } } });
    const runs = await talk(scratch, 5);
    for (const runId of runs) {
      const spans = (await readRequestSpans(scratch.store, runId))?.spans.filter(({ where }) => where === 'messages');
      expect(spans?.every(({ text }) => text !== undefined)).toBe(true);
      const isShort = runId === runs.at(-1);
      expect(new Set(spans?.map(({ origin }) => origin))).toEqual(
        new Set(
          isShort
            ? ['compaction', 'session.pins', 'message', 'model']
            : runId === runs[0]
              ? ['message']
              : ['message', 'model'],
        ),
      );
    }
  });

  it('is measured as the provider counts, where that is known', async () => {
    const scratch = await smallWindow();
    const input = (request: RecordedRequest) => Math.round(request.body.length / 2);
    script(scratch, (request, said) => reply(`Noted ${numberOf(said)}.`, { usage: { input: input(request) } }));
    await talk(scratch, 3);
    expect((await compactions(scratch)).length).toBeGreaterThan(0);
  });

  it('is measured by its own estimate where the count of the provider cannot be right', async () => {
    for (const input of [5_000_000, 1]) {
      const scratch = await smallWindow();
      script(scratch, (_, said) => reply(`Noted ${numberOf(said)}.`, { usage: { input } }));
      await talk(scratch, 4);
      expect(await compactions(scratch), `after 4 messages, ${input} tokens each`).toEqual([]);
      await talk(scratch, 1, 5);
      expect(await compactions(scratch), `after 5 messages, ${input} tokens each`).toHaveLength(1);
    }
  });

  it('is left alone when the operator says so', async () => {
    const scratch = await smallWindow({ compaction: { enabled: false } });
    await talk(scratch, 6);
    expect(await compactions(scratch)).toEqual([]);
  });

  it('tells observers before and after', async () => {
    const seen: string[] = [];
    const scratch = await smallWindow({
      register: (hooks) => {
        on(hooks, 'before_compaction', 'before', ({ messageCount, compactingCount }) => {
          seen.push(`before ${messageCount} ${compactingCount}`);
        });
        on(hooks, 'after_compaction', 'after', ({ messageCount, compactedCount }) => {
          seen.push(`after ${messageCount} ${compactedCount}`);
        });
      },
    });
    await talk(scratch, 5);
    await scratch.hooks.drain(1_000);
    expect(seen).toEqual(['before 8 6', 'after 3 6']);
  });
});

describe('a summary that cannot be had', () => {
  it.each([
    ['fails', () => fail(400, { message: 'no summaries today' }), /no summaries today/],
    ['is empty', () => reply('  '), /empty/],
    ['is too long', () => reply(words(2_000)), /too long/],
    ['is cut off', () => reply('So far', { stop: 'length' }), /too long/],
    ['hangs', () => hang('So far'), /longer than 1 s/],
  ])('because it %s loses nothing: the talk goes on, and the operator is told', async (_, answer, warning) => {
    const scratch = await smallWindow({ compaction: { timeoutSeconds: 1 }, summary: answer });
    await talk(scratch, 5);
    expect(messagesOf(scratch.model.requests.at(-1))).toHaveLength(10);
    expect(await compactions(scratch)).toEqual([]);
    expect(scratch.warnings.join('\n')).toMatch(warning);
    expect(scratch.warnings.join('\n')).toContain('It stays as it is.');
  });

  it('is written anew when the gateway was stopped in the middle of it', async () => {
    let written = 0;
    const scratch = await smallWindow({ summary: () => (++written === 1 ? hang('So far') : reply(SUMMARY)) });
    await talk(scratch, 4);
    await scratch.channel.says({}, `message 5 ${words(300)}`);
    await scratch.model.waitForRequests(5);
    await scratch.stop(0);
    await scratch.start();
    await scratch.channel.expectDelivered('Noted 5.');
    expect(written).toBeGreaterThan(1);
    expect(await compactions(scratch)).toHaveLength(1);
    expect(await scratch.store.count('transcript', { kind: 'message' })).toBe(10);
  });

  it('by the configured writer is asked of the model of the run', async () => {
    const scratch = await smallWindow({ compaction: { model: 'nobody/nothing' } });
    await talk(scratch, 5);
    expect(await compactions(scratch)).toHaveLength(1);
    expect(scratch.warnings.join('\n')).toContain('The model of compaction.model cannot be used');
  });

  it('ends with the run when a person stops it', async () => {
    const scratch = await smallWindow({ summary: () => hang('So far') });
    await talk(scratch, 4);
    await scratch.channel.says({}, `message 5 ${words(300)}`);
    await scratch.model.waitForRequests(5);
    await scratch.channel.asks({}, '/stop', 'Stopping.');
    await scratch.channel.expectDelivered('Stopped.');
    expect(await compactions(scratch)).toEqual([]);
  });
});

describe('pins', () => {
  it('are said again when the summary has lost them, in any case and spacing', async () => {
    const scratch = await smallWindow({
      config: {
        session: { pins: ['The door code is 4711.', 'ANN wants  a blue boat', 'SOUL.md#Never', 'AGENTS.md#Gone'] },
      },
      files: { 'workspace/SOUL.md': '# Soul\n\n## Never\n\nNever open the door.\n' },
    });
    await talk(scratch, 5);
    const summary = String(messagesOf(scratch.model.requests.at(-1))[1]?.content);
    expect(summary).toContain('- The door code is 4711.');
    expect(summary.toLowerCase().match(/ann wants/g)).toHaveLength(1);
    expect(summary).not.toContain('Never open the door.');
    const [row] = await compactions(scratch);
    expect(row?.meta.pins).toEqual({
      added: ['The door code is 4711.'],
      lost: [expect.stringMatching(/^AGENTS\.md#Gone \(/)],
    });
    expect(scratch.warnings.join('\n')).toContain('had to say these pins again: "The door code is 4711.');
    expect(scratch.warnings.join('\n')).toContain('could not keep these pins: "AGENTS.md#Gone');
  });
});

describe('a pin that a person quotes', () => {
  it('is said again all the same, or a quotation could take it away', async () => {
    const scratch = await smallWindow({ config: { session: { pins: ['The door stays shut.'] } } });
    await talk(scratch, 3);
    await scratch.channel.asks({}, `"The door stays shut." does not hold any more. ${words(300)}`, /Noted/);
    await talk(scratch, 1, 5);
    const [, summary] = messagesOf(scratch.model.requests.at(-1));
    expect(String(summary?.content)).toMatch(/as the operator has pinned it:\n- The door stays shut\.$/);
    expect((await compactions(scratch))[0]?.meta.pins).toEqual({ added: ['The door stays shut.'], lost: [] });
  });
});

describe('what prompt hooks added', () => {
  it('to old messages is left out first, and when that is enough nothing else is shortened', async () => {
    const scratch = await smallWindow({
      register: (hooks) =>
        on(hooks, 'before_prompt_build', { owner: 'news', pure: true }, () => ({
          appendContext: `news ${words(250)}`,
        })),
    });
    const says = async (number: number) => {
      await scratch.channel.asks({}, `message ${number}`, /Noted/);
    };
    for (const number of [1, 2, 3, 4, 5]) await says(number);
    const preview = await scratch.services.context.preview({
      sessionKey: KEY,
      message: 'message 6',
      channel: 'test:owner',
    });
    await says(6);
    expect(scratch.model.requests.at(-1)?.body).toBe(preview.wire.body);
    expect(summaries(scratch)).toHaveLength(0);
    const [row] = await compactions(scratch);
    expect(row?.meta).toMatchObject({ pruned: ['contributions'], by: null });
    expect(row?.shown).toContain('what plugins had added to old messages was left out');
    const said = messagesOf(scratch.model.requests.at(-1)).filter(({ role }) => role === 'user');
    expect(said[0]?.content).toBe('message 1');
    expect(said.at(-1)?.content).toContain('news word');
    // The transcript keeps the message as it was sent then.
    const [first] = await scratch.store.select('transcript', { where: { kind: 'message' }, limit: 1 });
    expect(JSON.stringify(first?.message)).toContain('news word');

    const before = messagesOf(scratch.model.requests.at(-1));
    await says(7);
    expect(messagesOf(scratch.model.requests.at(-1)).slice(0, before.length)).toEqual(before);
  });
});

describe('tool results', () => {
  it('are pruned first, and when that is enough no model is asked; a preview knows it too', async () => {
    const scratch = await smallWindow({ tools: [dump()] });
    await calls(scratch, 'big 800');
    await calls(scratch, 'big 350');
    const message = `Next ${words(300)}`;
    const preview = await scratch.services.context.preview({ sessionKey: KEY, message, channel: 'test:owner' });
    await scratch.channel.asks({}, message, /Noted/);
    expect(summaries(scratch)).toHaveLength(0);
    expect(scratch.store.commits.compaction).toBe(1);
    const results = messagesOf(scratch.model.requests.at(-1)).filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([
      { content: '[This result was pruned to make room: it had 4000 characters. Call the tool again if you need it.]' },
      { content: words(350) },
    ]);
    expect(preview.placeholders).toEqual([]);
    expect(scratch.model.requests.at(-1)?.body).toBe(preview.wire.body);
    const [row] = await compactions(scratch);
    expect(row?.message).toEqual({ role: 'user', content: '' });
  });

  it('that outgrow the window within one run are pruned between two rounds, and the run goes on', async () => {
    const scratch = await smallWindow({ tools: [dump()] });
    const rounds = [700, 600, 500];
    script(scratch, (_, said) => {
      const done = said.filter(({ role }) => role === 'tool').length;
      return done < rounds.length ? call('dump', { words: rounds[done] ?? 0 }) : answer('All read.');
    });
    const { runId } = await scratch.channel.asks({}, 'Read them all', 'All read.');
    expect(summaries(scratch)).toHaveLength(0);
    const results = messagesOf(scratch.model.requests.at(-1)).filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => String(content).startsWith('[This result was pruned'))).toEqual([
      true,
      false,
      false,
    ]);
    const spans = (await readRequestSpans(scratch.store, runId))?.spans ?? [];
    expect(spans.every(({ text }) => text !== undefined)).toBe(true);
    expect(new Set(spans.filter(({ where }) => where === 'messages').map(({ origin }) => origin))).toEqual(
      new Set(['message', 'model', 'compaction', 'tool dump']),
    );
  });

  it('of one giant turn are cut between answered calls, and what was asked stays in its own words', async () => {
    const scratch = await smallWindow({ tools: [dump()] });
    let asked = 0;
    // Each result is short enough not to be pruned, and the model writes long answers.
    script(scratch, () =>
      ++asked <= 9 ? call('dump', { words: 20 }, `step ${asked} ${words(180)}`) : answer('Done.'),
    );
    await scratch.channel.asks({}, 'Walk all nine steps', 'Done.');
    expect(summaries(scratch).length).toBeGreaterThan(0);
    const [, first, ...rest] = messagesOf(scratch.model.requests.at(-1));
    expect(first?.content).toMatch(/What was asked last, in its own words:\nWalk all nine steps$/);
    expect(rest[0]).toMatchObject({ role: 'assistant' });
    expectPairs(rest);
    expectPairs(messagesOf(scratch.model.requests.at(-2)).slice(1));
  });

  it('are pruned around a message that must not be kept, which no summary tells', async () => {
    const scratch = await smallWindow({
      tools: [dump()],
      register: (hooks) =>
        on(hooks, 'before_message_write', 'hush', ({ message }) => ({
          block: JSON.stringify(message).includes('hush'),
        })),
    });
    await talk(scratch, 2);
    const rounds = [500, 500, 500];
    let asked = 0;
    const { opened: lastRound, open: tell } = gate();
    script(scratch, () => {
      const size = rounds[asked++];
      if (size !== undefined) return call('dump', { words: size });
      tell();
      return hang('So far');
    });
    const { runId } = await scratch.channel.says({}, 'hush, read them all');
    await lastRound;
    await scratch.stop(0);
    script(scratch, () => answer('All read.'));
    const before = scratch.model.requests.at(-1);
    await scratch.start();
    await scratch.channel.expectDelivered('All read.');
    expect(scratch.model.requests.at(-1)?.body).toBe(before?.body);
    expect((await compactions(scratch)).length).toBeGreaterThan(0);
    const said = messagesOf(before);
    const place = said.findIndex(({ content }) => content === 'hush, read them all');
    expect(said[place + 1]).toMatchObject({ role: 'assistant' });
    expectPairs(said.slice(1));
    expect(JSON.stringify(await scratch.store.select('transcript'))).not.toContain('hush');
    expect(summaries(scratch).some(({ body }) => body.includes('hush'))).toBe(false);
    const spans = (await readRequestSpans(scratch.store, runId))?.spans ?? [];
    expect(spans.filter(({ text }) => text === undefined).map(({ origin }) => origin)).toEqual(['message, not kept']);
  });

  it('are where they were when the gateway was stopped behind a compaction', async () => {
    const scratch = await smallWindow({ tools: [dump()] });
    let asked = 0;
    const rounds = [700, 600, 500];
    script(scratch, () => {
      const size = rounds[asked++];
      return size === undefined ? hang('So far') : call('dump', { words: size });
    });
    await scratch.channel.says({}, 'Read them all');
    await scratch.model.waitForRequests(4);
    await scratch.stop(0);
    script(scratch, () => answer('All read.'));
    await scratch.start();
    await scratch.channel.expectDelivered('All read.');
    expect(scratch.model.requests.at(-1)?.body).toBe(scratch.model.requests[3]?.body);
    expect(scratch.model.requests[3]?.body).toContain('This result was pruned');
    await scratch.channel.asks({}, 'Thanks', 'All read.');
    const before = messagesOf(scratch.model.requests[3]);
    expect(messagesOf(scratch.model.requests.at(-1)).slice(0, before.length)).toEqual(before);
  });
});

describe('a provider that finds the request too long', () => {
  it('is asked once more with a shorter one', async () => {
    const scratch = await smallWindow({ window: 100_000 });
    await talk(scratch, 4);
    script(scratch, (request) =>
      request.body.length > 5_000
        ? fail(400, { message: 'prompt is too long: 9 tokens > 8 maximum' })
        : answer('It fits.'),
    );
    await scratch.channel.asks({}, 'And now?', 'It fits.');
    expect(summaries(scratch)).toHaveLength(1);
    expect((await compactions(scratch))[0]?.meta).toMatchObject({ why: 'refused' });
    expect(messagesOf(scratch.model.requests.at(-1)).at(-1)).toMatchObject({ content: 'And now?' });
  });

  it('and does so again is not asked a third time: the person is told what helps', async () => {
    const scratch = await smallWindow({ window: 100_000 });
    await talk(scratch, 4);
    script(scratch, () => fail(400, { message: 'prompt is too long: 9 tokens > 8 maximum' }));
    const before = scratch.model.requests.length;
    await scratch.channel.asks({}, 'And now?', /prompt is too long.*Say \/compact/);
    expect(scratch.model.requests.length - before).toBe(3);
  });
});

describe('/compact', () => {
  it('shortens at once, minding what was said behind it, and says what it did', async () => {
    const scratch = await smallWindow({ window: 100_000, config: { session: { pins: ['The door code is 4711.'] } } });
    await talk(scratch, 3);
    await scratch.channel.says({}, '/compact mind the boats');
    await scratch.channel.expectDelivered(
      /^The conversation was shortened from about [\d,]+ to [\d,]+ tokens: older messages became a summary, written by fake\/small\. Said again because they are pinned: "The door code is 4711\."\.$/,
    );
    expect(textOfRequest(summaries(scratch)[0])).toContain('Whoever asked for it wishes: "mind the boats"');
    await talk(scratch, 1, 9);
    const said = messagesOf(scratch.model.requests.at(-1));
    expect(String(said[1]?.content)).toContain(SUMMARY);
    expect(JSON.stringify(said)).not.toContain('/compact');
    expect(said.slice(2).map(({ content }) => String(content).slice(0, 9))).toEqual([
      'message 3',
      'Noted 3.',
      'message 9',
    ]);
  });

  it('says so when there is nothing to shorten', async () => {
    const scratch = await smallWindow();
    await scratch.channel.asks({}, '/compact', 'There is nothing to shorten yet.');
    await talk(scratch, 1);
    await scratch.channel.asks({}, '/compact', 'There is nothing to shorten yet.');
    expect(summaries(scratch)).toHaveLength(0);
  });

  it('leaves a conversation alone that would come out longer, because what is pinned takes more than pruning gives', async () => {
    const pins = [`The door code is ${words(100)}.`];
    const scratch = await smallWindow({
      tools: [dump()],
      config: { session: { pins } },
      summary: () => fail(400, { message: 'not today' }),
    });
    script(scratch, (_, said) => (said.at(-1)?.role === 'tool' ? answer('Seen.') : call('dump', { words: 60 })));
    for (const text of ['Look', 'Look again']) {
      await scratch.channel.asks({}, text, 'Seen.');
    }
    await scratch.channel.asks({}, '/compact', /^There is no summary: .*not today\. Nothing was changed\.$/);
    expect(await compactions(scratch)).toEqual([]);
  });

  it('says so when the summary fails', async () => {
    const scratch = await smallWindow({ summary: () => fail(400, { message: 'not today' }) });
    await talk(scratch, 3);
    await scratch.channel.asks({}, '/compact', /^There is no summary: .*not today\. Nothing was changed\.$/);
  });

  it('passes the gate like a message', async () => {
    const scratch = await smallWindow({
      register: (hooks) =>
        on(hooks, 'before_agent_run', 'gate', ({ prompt }) =>
          prompt.includes('secret') ? { outcome: 'block', reason: 'no secrets' } : undefined,
        ),
    });
    await talk(scratch, 3);
    await scratch.channel.asks({}, '/compact keep the secret', /./);
    expect(summaries(scratch)).toHaveLength(0);
    expect(await compactions(scratch)).toEqual([]);
  });
});

const KEY = 'agent:main:test:direct:owner';

type Said = JsonObject;
type Script = (request: RecordedRequest, said: readonly Said[]) => ModelReply;

interface SmallWindowSettings extends ScratchGatewaySettings {
  readonly window?: number;
  readonly models?: readonly JsonObject[];
  readonly compaction?: JsonObject;
  readonly summary?: () => ModelReply;
}

const summaryOf = new WeakMap<ScratchGateway, () => ModelReply>();

/** A model with a window of 2,000 tokens, and a short system prompt. */
async function smallWindow(settings: SmallWindowSettings = {}): Promise<ScratchGateway> {
  const { window = 2_000, models = [], compaction = {}, summary, config, ...rest } = settings;
  const scratch = await gatewayForTest({
    ...rest,
    provider: { models: [{ id: 'small', contextWindow: window }, ...models] },
    config: {
      agents: { defaults: { model: 'fake/small', skipBootstrap: true, compaction } },
      tools: { allow: ['dump'] },
      ...config,
    },
  });
  summaryOf.set(scratch, summary ?? (() => reply(SUMMARY, { usage: { input: 70, output: 7 } })));
  script(scratch, (_, said) => answer(`Noted ${numberOf(said)}.`));
  return scratch;
}

function numberOf(said: readonly Said[]): string {
  return /^message (\d+)/.exec(String(said.at(-1)?.content))?.[1] ?? '';
}

/** A model that is asked for a summary writes one; the test decides everything else. */
function script(scratch: ScratchGateway, write: Script): void {
  const summary = summaryOf.get(scratch);
  scratch.model.script((request) =>
    isSummaryRequest(request) && summary ? summary() : write(request, messagesOf(request)),
  );
}

/** The reply has no usage, so that sizes are estimated. */
function answer(text: string): ModelReply {
  return reply(text, { usage: { input: 0 } });
}

function call(name: string, params: JsonObject, text = ''): ModelReply {
  return { ...toolCall(name, params, text), usage: { ...toolCalls([]).usage, input: 0 } };
}

function words(count: number): string {
  return 'word '.repeat(count);
}

async function talk(scratch: ScratchGateway, turns: number, first = 1): Promise<readonly string[]> {
  const runs: string[] = [];
  for (let number = first; number < first + turns; number++) {
    const { runId } = await scratch.channel.asks({}, `message ${number} ${words(300)}`, `Noted ${number}.`);
    runs.push(runId);
  }
  return runs;
}

/** A turn with one call: `big 800` reads eight hundred words. */
async function calls(scratch: ScratchGateway, text: string): Promise<void> {
  script(scratch, (_, said) =>
    said.at(-1)?.role === 'tool' ? answer('Noted.') : call('dump', { words: Number(text.split(' ')[1]) }),
  );
  await scratch.channel.asks({}, text, 'Noted.');
  script(scratch, () => answer('Noted.'));
}

function dump(): Tool {
  return {
    name: 'dump',
    description: 'Says many words.',
    parameters: { type: 'object', properties: { words: { type: 'number' } } },
    idempotent: true,
    run: async ({ words: count }) => ({ content: words(Number(count)) }),
  };
}

function isSummaryRequest({ body }: RecordedRequest): boolean {
  return body.includes('You keep the memory of a conversation');
}

function summaries(scratch: ScratchGateway): readonly RecordedRequest[] {
  return scratch.model.requests.filter(isSummaryRequest);
}

function messagesOf(request: RecordedRequest | undefined): readonly Said[] {
  return (request?.json.messages ?? []) as readonly Said[];
}

function textOfRequest(request: RecordedRequest | undefined): string {
  return String(messagesOf(request).at(-1)?.content);
}

async function compactions({ store }: ScratchGateway) {
  return store.select('transcript', { where: { kind: 'compaction' }, orderBy: [['position', 'asc']] });
}

/** Every call is followed by its result, and every result follows its call. */
function expectPairs(said: readonly Said[]): void {
  let open: string[] = [];
  for (const message of said) {
    if (message.role === 'tool') {
      expect(message.tool_call_id).toBe(open.shift());
      continue;
    }
    expect(open).toEqual([]);
    open = ((message.tool_calls ?? []) as readonly { id: string }[]).map(({ id }) => id);
  }
  expect(open).toEqual([]);
}
