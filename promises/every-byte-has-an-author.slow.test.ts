// Every word that a model receives has an author: the spans of each request are compared with the bytes that were sent.

import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ToldSpan } from '../src/agent/request-text.ts';
import { readRequestSpans } from '../src/gateway/services/read-request-spans.ts';
import { MODEL_PROTOCOLS } from '../src/protocol/model-protocol.ts';
import { newId } from '../src/protocol/new-id.ts';
import { forAllAsync } from '../src/testkit/for-all.ts';
import { type ModelReply, reply, toolCall, toolCalls } from '../src/testkit/model-server.ts';
import { on } from '../src/testkit/on.ts';
import { ScratchGateway, type ScratchGatewaySettings } from '../src/testkit/scratch-gateway.ts';

let scratch: ScratchGateway;
afterEach(() => scratch.close());

const KEY = 'agent:main:main';
const FILES = { 'workspace/AGENTS.md': '# Rules\n\nBe brief.\n', 'AGENTS.md': 'For everybody.\n' };

async function open(settings: ScratchGatewaySettings = {}): Promise<void> {
  scratch = await ScratchGateway.open({ files: FILES, ...settings });
  scratch.model.script(() => reply('Very well.'));
}

async function say(text: string, sessionKey = KEY): Promise<string> {
  const { runId } = await scratch.channel.says({}, text, { sessionKey });
  await scratch.services.runs.wait(runId);
  return runId;
}

function inject(owner: string, placement: 'prepend' | 'append', text: string, sessionKey = KEY) {
  const row = {
    id: newId('inj', Date.now()),
    owner,
    sessionKey,
    idempotencyKey: null,
    placement,
    text,
    createdAt: Date.now(),
    expiresAt: null,
    status: 'queued',
    runId: null,
  } as const;
  return scratch.store.commit([{ insert: 'injections', row }], { site: 'injection' });
}

/** The spans of a request, by block, tool and message. */
function unitsOf(spans: readonly ToldSpan[]): ReadonlyMap<string, readonly ToldSpan[]> {
  const units = new Map<string, ToldSpan[]>();
  for (const span of spans) {
    const name = `${span.where} ${span.index}`;
    units.set(name, [...(units.get(name) ?? []), span]);
  }
  return units;
}

/** Ids, roles and the protocol's own words are names, not text. */
const NAMES = new Set([
  ...['role', 'type', 'id', 'tool_call_id', 'tool_use_id', 'call_id', 'model', 'tool_choice', '$schema'],
  'thoughtSignature',
]);

function wordsOf(value: unknown, key = ''): readonly string[] {
  if (typeof value === 'string') return NAMES.has(key) ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((each) => wordsOf(each, key));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, each]) => wordsOf(each, name));
  return [];
}

/** All words of the body are in spans, and all spans are in the body; no word is without an author or counted twice. */
function expectAuthors(body: string, spans: readonly ToldSpan[]): void {
  let all = '';
  for (const [name, pieces] of unitsOf(spans)) {
    for (const { text, chars, origin } of pieces) {
      expect(text?.length, `${name}: ${origin}`).toBe(chars);
      expect(origin).not.toBe('');
      expect(chars).toBeGreaterThan(0);
    }
    // One protocol has a single system text where the other has blocks.
    all += `${name.startsWith('system') ? '' : '\n'}${pieces.map(({ text }) => text).join('')}`;
  }
  const escaped = (word: string) => JSON.stringify(word).slice(1, -1);
  for (const word of wordsOf(JSON.parse(body))) {
    if (word === '') continue;
    expect(all.includes(word) || all.includes(escaped(word)), `no author for ${JSON.stringify(word)}`).toBe(true);
  }
  const sent = wordsOf(JSON.parse(body)).join('\n');
  for (const [name, pieces] of unitsOf(spans)) {
    if (name.startsWith('tools') || pieces.length > 1) continue;
    expect(sent.includes(pieces[0]?.text ?? '') || body.includes(escaped(pieces[0]?.text ?? '')), name).toBe(true);
  }
}

describe.each(MODEL_PROTOCOLS)('the spans of requests to %s', (protocol) => {
  it('cover every request of runs with tools, before and after a restart', async () => {
    await open({ protocol });
    scratch.model.script([
      toolCall('read', { path: 'AGENTS.md' }, 'Let me look.'),
      toolCalls([{ name: 'session_status' }, { name: 'write', params: { path: 'a.md', content: 'x "y"' } }]),
      reply('Done.'),
      reply('Again.'),
    ]);
    await inject('mailer', 'prepend', 'You have mail.');
    const first = await say('look');
    const second = await say('and again');
    const sent = scratch.model.requests.map(({ body }) => body);
    const check = async () => {
      const kept = [
        ...(await Promise.all([1, 2, 3].map((call) => readRequestSpans(scratch.store, first, call)))),
        await readRequestSpans(scratch.store, second),
      ];
      for (const [index, body] of sent.entries()) expectAuthors(body, kept[index]?.spans ?? []);
    };
    await check();
    await scratch.stop();
    await scratch.start();
    await check();
  });

  it('cover everything that people, plugins and models say', async () => {
    await open({ protocol });
    let added: { system?: string; before?: string; behind?: string; rewrite?: string } = {};
    on(scratch.hooks, 'before_prompt_build', { owner: 'builder', pure: true }, () => ({
      ...(added.system === undefined ? {} : { appendSystemContext: added.system }),
      ...(added.before === undefined ? {} : { prependContext: added.before }),
      ...(added.behind === undefined ? {} : { appendContext: added.behind }),
    }));
    on(scratch.hooks, 'before_message_write', { owner: 'writer', id: 'write', pure: true }, ({ message }) => {
      const { rewrite } = added;
      if (rewrite === undefined || message.role !== 'user') return undefined;
      return { message: { ...message, content: `${String(message.content[0]?.text).slice(1)}${rewrite}` } };
    });
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).map((each) => `x${each}`);
    const answer: fc.Arbitrary<ModelReply> = fc.oneof(
      text.map((each) => reply(each)),
      text.map((path) => toolCall('read', { path }, 'Looking.')),
    );
    let round = 0;
    await forAllAsync(
      [
        text,
        fc.record({ system: text, before: text, behind: text, rewrite: text }, { requiredKeys: [] }),
        fc.array(answer, { maxLength: 2 }),
        fc.option(text),
      ],
      12,
      async (message, contributions, answers, injection) => {
        added = contributions;
        const sessionKey = `agent:main:round:${Math.floor(round++ / 3)}`;
        if (injection !== null) await inject('mailer', 'append', injection, sessionKey);
        const asked = { message, sessionKey, channel: 'test' };
        const preview = await scratch.services.context.preview(asked);
        const before = scratch.model.requests.length;
        const replies = [...answers, reply('The end.')];
        scratch.model.script(() => replies.shift() ?? reply('The end.'));
        const runId = await say(message, sessionKey);
        const sent = scratch.model.requests.slice(before).map(({ body }) => body);
        expect(preview.wire.body).toBe(sent[0]);
        expectAuthors(sent[0] ?? '', preview.spans);
        for (const [index, body] of sent.entries()) {
          expectAuthors(body, (await readRequestSpans(scratch.store, runId, index + 1))?.spans ?? []);
        }
      },
    );
  });
});

describe('the authors of a request', () => {
  it('are named: plugins by their owner, tools by their name, history by its run and entry', async () => {
    await open({
      register: (hooks) => {
        on(hooks, 'before_prompt_build', { owner: 'builder', id: 'build', pure: true }, () => ({
          appendContext: 'Behind.',
          prependSystemContext: 'Before all.',
        }));
        on(hooks, 'tool_result_persist', 'censor', ({ message }) => ({
          message: { ...message, content: 'Nothing to see.' },
        }));
      },
    });
    scratch.model.script([toolCall('read', { path: 'AGENTS.md' }), reply('Done.'), reply('Again.')]);
    await inject('mailer', 'prepend', 'You have mail.');
    const first = await say('look');
    const second = await say('and again');
    const told = async (runId: string) =>
      ((await readRequestSpans(scratch.store, runId))?.spans ?? [])
        .filter(({ where }) => where === 'messages')
        .map(({ index, origin, text, runId: from, entry }) => [index, origin, text, from, entry]);
    expect(await told(second)).toEqual([
      [0, 'injection of mailer', 'You have mail.', first, 1],
      [0, 'atrium: separator', '\n\n', first, 1],
      [0, 'message', 'look', first, 1],
      [0, 'atrium: separator', '\n\n', first, 1],
      [0, 'before_prompt_build of builder', 'Behind.', first, 1],
      [1, 'model', 'read', first, 2],
      [1, 'model', '{"path":"AGENTS.md"}', first, 2],
      [2, 'tool read, rewritten by tool_result_persist of censor', 'Nothing to see.', first, 3],
      [3, 'model', 'Done.', first, 4],
      [4, 'message', 'and again', undefined, undefined],
      [4, 'atrium: separator', '\n\n', undefined, undefined],
      [4, 'before_prompt_build of builder', 'Behind.', undefined, undefined],
    ]);
    const spans = (await readRequestSpans(scratch.store, first, 1))?.spans ?? [];
    expect(spans[0]).toMatchObject({ where: 'system', origin: 'before_prompt_build of builder', text: 'Before all.' });
    expect(spans.filter(({ where }) => where === 'tools').map(({ origin }) => origin)).toContain('tool read');
    expect(spans.find(({ text }) => text?.includes('Be brief.'))?.origin).toContain('workspace/AGENTS.md');
    expect(spans.find(({ text }) => text?.includes('For everybody.'))?.origin).toContain('handler global-files');
  });

  it('are forgotten with the session', async () => {
    await open();
    const runId = await say('a secret');
    expect(JSON.stringify(await readRequestSpans(scratch.store, runId))).toContain('a secret');
    await scratch.services.sessions.delete(KEY);
    expect(await readRequestSpans(scratch.store, runId)).toBeUndefined();
  });

  it('are not guessed for a message that the transcript does not keep', async () => {
    await open({
      register: (hooks) =>
        on(hooks, 'before_message_write', 'censor', ({ message }) =>
          message.role === 'user' ? { block: true } : undefined,
        ),
    });
    scratch.model.script([toolCall('session_status'), reply('same length')]);
    const runId = await say('a secret!!!');
    const spans = (await readRequestSpans(scratch.store, runId))?.spans ?? [];
    const messages = spans.filter(({ where }) => where === 'messages');
    expect(messages[0]).toMatchObject({ index: 0, origin: 'message', chars: 11 });
    expect(messages[0]?.text).toBeUndefined();
    expect(messages.find(({ origin }) => origin === 'tool session_status')?.text).toBeDefined();
  });
});
