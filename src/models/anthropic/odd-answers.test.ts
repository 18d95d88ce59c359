// Servers that speak Anthropic's Messages nearly: what they mean is clear, so their answers count.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { fail, type ModelReply, ModelServer, raw } from '../../testkit/model-server.ts';
import type { ModelEnd, ModelEvent } from '../model.ts';
import { requestOf } from '../model-suite.ts';
import { createAnthropicModel } from './anthropic-model.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server.close());

async function answer(
  sent: string | ModelReply,
  ending?: 'hang',
): Promise<{ text: string; events: ModelEvent[]; end: ModelEnd }> {
  server.script([typeof sent === 'string' ? raw(sent, ending) : sent]);
  const settings = { provider: 'odd', model: 'small', baseUrl: server.baseUrl, timeoutMs: 20_000, now: () => 0 };
  const model = createAnthropicModel({ ...settings, afterReasonMs: 200 });
  const events: ModelEvent[] = [];
  for await (const event of model.stream(await model.prepare(requestOf('Hi')), new AbortController().signal))
    events.push(event);
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  return { text, events, end: events.find((event) => event.type === 'end') as ModelEnd };
}

const event = (data: { readonly type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const start = (usage: object) =>
  event({
    type: 'message_start',
    message: { id: 'm', type: 'message', role: 'assistant', model: 'small', content: [], usage },
  });
const HELLO = [
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } }),
  event({ type: 'content_block_stop', index: 0 }),
].join('');
const reason = (usage: object) =>
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage });
const STOP = event({ type: 'message_stop' });
const USAGE = { input_tokens: 3, output_tokens: 1 };

it('counts when it is over, although the connection stays open', async () => {
  const { text, end } = await answer(start(USAGE) + HELLO + reason({ output_tokens: 7 }) + STOP, 'hang');
  expect([text, end.stop, end.usage.output]).toEqual(['Hello.', 'stop', 7]);
});

it('counts without the empty line behind its last event', async () => {
  const { text, end } = await answer((start(USAGE) + HELLO + reason({ output_tokens: 7 }) + STOP).trimEnd(), 'hang');
  expect([text, end.stop]).toEqual(['Hello.', 'stop']);
});

it.each([undefined, 'hang'] as const)('counts when its reason was given and nothing follows (%s)', async (ending) => {
  const { text, end } = await answer(start(USAGE) + HELLO + reason({ output_tokens: 7 }), ending);
  expect([text, end.stop, end.usage.output]).toEqual(['Hello.', 'stop', 7]);
});

it('counts with counts as texts', async () => {
  const begin = start({ input_tokens: '3', output_tokens: '1' });
  const { text, end } = await answer(begin + HELLO + reason({ output_tokens: '7' }) + STOP);
  expect([text, end.stop, end.error, end.usage.input, end.usage.output]).toEqual(['Hello.', 'stop', undefined, 3, 7]);
});

it('is a failure that names the field when it cannot be read', async () => {
  const odd = event({ type: 'content_block_delta', index: 'first', delta: { type: 'text_delta', text: 'Hello.' } });
  const { end } = await answer(start(USAGE) + odd + reason({ output_tokens: 7 }) + STOP);
  expect(end).toMatchObject({ stop: 'error', error: { kind: 'malformed', message: expect.stringMatching(/: index/) } });
});

it.each<[string, string]>([
  ['usage that is missing', start({}).replace(',"usage":{}', '')],
  ['counts that are missing', start({})],
  ['counts that are no numbers', start({ input_tokens: 'many' })],
])('counts with %s', async (_, begin) => {
  const end = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } });
  const { text, end: ended } = await answer(begin + HELLO + end + STOP);
  expect([text, ended.stop, ended.error, ended.usage.output]).toEqual(['Hello.', 'stop', undefined, 0]);
});

const whole = (content: unknown, more: object = {}) =>
  JSON.stringify({ id: 'm', type: 'message', role: 'assistant', model: 'small', content, ...more });

it('counts when it comes as one JSON instead of a stream', async () => {
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: 's' },
    { type: 'text', text: 'Hello.' },
    { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'A' } },
  ];
  const body = whole(content, { stop_reason: 'tool_use', usage: { input_tokens: 3, output_tokens: '7' } });
  for (const hangs of [false, true]) {
    const { events, end } = await answer(fail(200, { body, hangs }));
    expect(events.slice(0, -1)).toEqual([
      { type: 'reasoning-delta', text: 'Hm.' },
      { type: 'text-delta', text: 'Hello.' },
      { type: 'tool-call', id: 'toolu_1', name: 'read', input: '{"path":"A"}' },
    ]);
    expect([end.stop, end.error, end.usage.input, end.usage.output]).toEqual(['tool-calls', undefined, 3, 7]);
  }
});

it('counts as one JSON without a reason and without counts, and with text that is no list', async () => {
  const { text, end } = await answer(fail(200, { body: whole('Hello.') }));
  expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
});

it('is a failure when the JSON is an answer of another protocol', async () => {
  const body = JSON.stringify({ choices: [{ message: { content: 'Hello.' } }] });
  const { end } = await answer(fail(200, { body }));
  expect(end.error?.message).toBe('odd answered with something else than an answer. Check its baseUrl.');
});

it('counts without empty lines between its events', async () => {
  const bytes = start(USAGE) + HELLO + reason({ output_tokens: 7 }) + STOP;
  const { text, end } = await answer(bytes.replaceAll('\n\n', '\n'));
  expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
});

it('counts with events that the protocol does not have, and names them', async () => {
  const odd = event({ type: 'surprise', text: 'Boo' });
  const broken = 'event: ping\ndata: {"type":\n\n';
  const { text, end } = await answer(start(USAGE) + odd + broken + HELLO + reason({ output_tokens: 7 }) + STOP);
  expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
  expect(end.notes).toEqual([
    'An event of a kind that the protocol does not have was left out: {"type":"surprise","text":"Boo"}',
  ]);
});

it('is a failure when a broken event may have held a part of it', async () => {
  const broken = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n';
  const { end } = await answer(start(USAGE) + HELLO + broken + reason({ output_tokens: 7 }) + STOP);
  expect(end.error?.message).toContain('it is no JSON ({"type":"content_block_delta"');
});

it('says why it is withheld', async () => {
  const why = { type: 'refusal', category: 'cyber', explanation: 'This may do harm.' };
  const refused = event({
    type: 'message_delta',
    delta: { stop_reason: 'refusal', stop_details: why },
    usage: { output_tokens: 1 },
  });
  const { end } = await answer(start(USAGE) + refused + STOP);
  expect([end.stop, end.withheld]).toEqual(['refusal', 'refusal, cyber, This may do harm.']);
});
