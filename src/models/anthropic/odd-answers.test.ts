// Servers that speak Anthropic's Messages nearly: what they mean is clear, so their answers count.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { ModelServer, raw } from '../../testkit/model-server.ts';
import type { ModelEnd, ModelEvent } from '../model.ts';
import { requestOf } from '../model-suite.ts';
import { createAnthropicModel } from './anthropic-model.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server.close());

async function answer(bytes: string, ending?: 'hang'): Promise<{ text: string; end: ModelEnd }> {
  server.script([raw(bytes, ending)]);
  const settings = { provider: 'odd', model: 'small', baseUrl: server.baseUrl, timeoutMs: 20_000, now: () => 0 };
  const model = createAnthropicModel(settings);
  const events: ModelEvent[] = [];
  for await (const event of model.stream(await model.prepare(requestOf('Hi')), new AbortController().signal))
    events.push(event);
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  return { text, end: events.find((event) => event.type === 'end') as ModelEnd };
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
