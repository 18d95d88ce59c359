// Servers that speak the protocol nearly: what they mean is clear, so their answers count. What is not clear is named.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModelServer, raw } from '../../testkit/model-server.ts';
import type { ModelEnd, ModelEvent } from '../model.ts';
import { requestOf } from '../model-suite.ts';
import { createOpenAiCompatibleModel } from './openai-compatible-model.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server.close());

const NEVER_SILENT_SO_LONG = 20_000;

async function answer(bytes: string, ending?: 'hang'): Promise<{ text: string; calls: ModelEvent[]; end: ModelEnd }> {
  server.script([raw(bytes, ending)]);
  const model = createOpenAiCompatibleModel({
    provider: 'odd',
    model: 'small',
    baseUrl: server.baseUrl,
    timeoutMs: NEVER_SILENT_SO_LONG,
    now: () => 0,
  });
  const events: ModelEvent[] = [];
  for await (const event of model.stream(await model.prepare(requestOf('Hi')), new AbortController().signal))
    events.push(event);
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  return {
    text,
    calls: events.filter(({ type }) => type === 'tool-call'),
    end: events.find((event) => event.type === 'end') as ModelEnd,
  };
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta: object, more: object = {}) => event({ id: 'c', choices: [{ index: 0, delta, ...more }] });
const HELLO = chunk({ role: 'assistant', content: 'Hello.' });
const STOP = chunk({}, { finish_reason: 'stop' });
const DONE = 'data: [DONE]\n\n';
const usage = (told: object, choices: unknown = []) => event({ id: 'c', choices, usage: told });

describe('an answer that is clear', () => {
  it('counts at [DONE], although the connection stays open', async () => {
    const { text, end } = await answer(HELLO + STOP + usage({ completion_tokens: 7 }) + DONE, 'hang');
    expect([text, end.stop, end.usage.output]).toEqual(['Hello.', 'stop', 7]);
  });

  it('counts when its reason was given, although neither [DONE] nor the end comes', async () => {
    const { text, end } = await answer(HELLO + STOP, 'hang');
    expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
  });

  it('counts without a reason before [DONE]', async () => {
    const { text, end } = await answer(HELLO + DONE);
    expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
  });

  it('counts with calls and without a reason before [DONE]', async () => {
    const call = { index: 0, id: 'call_1', function: { name: 'read', arguments: '{"path":"A"}' } };
    const { calls, end } = await answer(chunk({ tool_calls: [call] }) + DONE);
    expect(end.stop).toBe('tool-calls');
    expect(calls).toEqual([{ type: 'tool-call', id: 'call_1', name: 'read', input: '{"path":"A"}' }]);
  });

  it.each<[string, string, number]>([
    ['counts as texts', usage({ prompt_tokens: '3', completion_tokens: '7' }), 7],
    ['counts that are no numbers', usage({ completion_tokens: 'many' }), 0],
    ['a count that is null', usage({ completion_tokens: null }), 0],
    [
      'details as a number',
      usage({ completion_tokens: 7, completion_tokens_details: 3, prompt_tokens_details: '' }),
      7,
    ],
    ['usage as a text', usage('none' as never), 0],
    ['usage in a list', usage([7] as never), 0],
    ['choices that are null', usage({ completion_tokens: 7 }, null), 7],
    ['no choices', event({ usage: { completion_tokens: 7 } }), 7],
    ['choices with null in them', usage({ completion_tokens: 7 }, [null]), 7],
    ['an id that is a number', event({ id: 7, created: '12', model: null, choices: [] }), 0],
    ['an empty reason behind the reason', chunk({}, { finish_reason: '' }), 0],
    ['an empty error', event({ error: null, choices: [] }), 0],
  ])('counts with %s', async (_, odd, output) => {
    const { text, end } = await answer(HELLO + STOP + odd + DONE);
    expect([text, end.stop, end.error, end.usage.output]).toEqual(['Hello.', 'stop', undefined, output]);
  });

  it.each<[string, object]>([
    ['an unknown role', { role: 'model', content: 'Hello.' }],
    ['a call list that is null', { content: 'Hello.', tool_calls: null }],
    ['a refusal in a field of its own', { content: null, refusal: 'Hello.' }],
    ['thoughts that are no text', { content: 'Hello.', reasoning: {}, reasoning_content: [] }],
  ])('counts with %s', async (_, delta) => {
    const { text, end } = await answer(chunk(delta) + STOP + DONE);
    expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
  });

  it('counts when it comes as a message instead of pieces', async () => {
    const { text, end } = await answer(
      event({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }] }) +
        DONE,
    );
    expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
  });

  it('is the first choice, whatever stands beside it', async () => {
    const choices = (...order: number[]) =>
      event({ choices: order.map((index) => ({ index, delta: { content: `${index}` } })) });
    const { text } = await answer(choices(0, 1) + choices(1, 0) + choices(2) + STOP + DONE);
    expect(text).toBe('00');
  });

  it('counts with arguments as an object, an index as a text and an id as a number', async () => {
    const call = { index: '0', id: 7, function: { name: 'read', arguments: { path: 'A' } } };
    const { calls } = await answer(chunk({ tool_calls: [call] }) + STOP + DONE);
    expect(calls).toEqual([{ type: 'tool-call', id: '7', name: 'read', input: '{"path":"A"}' }]);
  });

  it('keeps every character, wherever the network cuts', async () => {
    const said = 'Grüße, 世界 👩‍🚀\u2028!';
    const { text, end } = await answer(
      `\ufeff: hello\r\n\r\nevent: message\r\n${chunk({ content: said })}${STOP}${DONE}`,
    );
    expect([text, end.stop]).toEqual([said, 'stop']);
  });
});

describe('an answer that is not clear', () => {
  it.each<[string, string, RegExp]>([
    [
      'text in a field of its own kind',
      chunk({ content: { text: 'Hello.' } }),
      /cannot be read: choices\.0\.delta\.content: .*expected string/,
    ],
    ['choices of another kind', event({ choices: 'none' }), /cannot be read: choices/],
    [
      'a call without a function',
      chunk({ tool_calls: [{ index: 0, id: 'a' }] }),
      /choices\.0\.delta\.tool_calls\.0\.function/,
    ],
    ['no JSON', 'data: {"choices": [\n\n', /cannot be read: it is no JSON/],
  ])('is a failure that names the field: %s', async (_, odd, reason) => {
    const { end } = await answer(odd + STOP + DONE);
    expect(end).toMatchObject({ stop: 'error', error: { kind: 'malformed', message: expect.stringMatching(reason) } });
  });

  it('is a failure when it ends with neither a reason nor [DONE], because the rest may be missing', async () => {
    const { end } = await answer(HELLO);
    const message = 'odd ended its answer without saying why';
    expect(end).toMatchObject({ stop: 'error', error: { kind: 'malformed', message } });
  });

  it.each<[string, object]>([
    ['a text', { error: 'Out of memory.' }],
    ['an object of another shape', { error: { code: 500, detail: 'Out of memory.' } }],
    ['a list', { error: [{ msg: 'Out of memory.' }] }],
    ['a message without choices', { object: 'error', message: 'Out of memory.', code: 500 }],
  ])("is a failure in the server's words when its error is %s", async (_, told) => {
    for (const begun of ['', HELLO]) {
      const { end } = await answer(begun + event(told) + DONE);
      expect(end.error?.message).toBe('odd reported an error: Out of memory.');
    }
  });

  it('is a failure when the server says so behind the beginning', async () => {
    const { end } = await answer(HELLO + event({ error: { message: 'Out of memory.' } }) + DONE);
    expect(end).toMatchObject({ stop: 'error', error: { message: expect.stringContaining('Out of memory.') } });
  });
});
