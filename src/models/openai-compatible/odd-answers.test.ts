// Servers that speak the protocol nearly: what they mean is clear, so their answers count. What is not clear is named.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fail, type ModelReply, ModelServer, raw } from '../../testkit/model-server.ts';
import type { ModelEnd, ModelEvent } from '../model.ts';
import { requestOf } from '../model-suite.ts';
import { createOpenAiCompatibleModel } from './openai-compatible-model.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server.close());

const NEVER_SILENT_SO_LONG = 20_000;

async function answer(
  sent: string | ModelReply,
  ending?: 'hang',
): Promise<{ text: string; thoughts: string; calls: ModelEvent[]; end: ModelEnd }> {
  server.script([typeof sent === 'string' ? raw(sent, ending) : sent]);
  const model = createOpenAiCompatibleModel({
    provider: 'odd',
    model: 'small',
    baseUrl: server.baseUrl,
    timeoutMs: NEVER_SILENT_SO_LONG,
    afterReasonMs: 200,
    now: () => 0,
  });
  const events: ModelEvent[] = [];
  for await (const event of model.stream(await model.prepare(requestOf('Hi')), new AbortController().signal))
    events.push(event);
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  return {
    text,
    thoughts: events.map((event) => (event.type === 'reasoning-delta' ? event.text : '')).join(''),
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

const call = (name: string, args: unknown, more: object = {}) => ({ function: { name, arguments: args }, ...more });
const READ_A = { type: 'tool-call', name: 'read', input: '{"path":"A"}' };

describe('an answer that comes as one JSON instead of a stream', () => {
  const whole = (message: object, more: object = {}) => ({
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 7 },
    ...more,
  });

  it.each<[string, Record<string, string>]>([
    ['its own content type', {}],
    ['the content type of a stream', { 'content-type': 'text/event-stream' }],
    ['no useful content type', { 'content-type': 'application/octet-stream' }],
  ])('counts with %s', async (_, headers) => {
    const body = JSON.stringify(whole({ content: 'Hello.' }), undefined, 2);
    const { text, end } = await answer(fail(200, { headers, body }));
    expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
    expect([end.usage.input, end.usage.output]).toEqual([3, 7]);
  });

  it('counts although the connection stays open', async () => {
    const { text, end } = await answer(fail(200, { body: JSON.stringify(whole({ content: 'Hello.' })), hangs: true }));
    expect([text, end.stop]).toEqual(['Hello.', 'stop']);
  });

  it('may call tools, in both forms', async () => {
    const calls = [call('read', '{"path":"A"}', { id: 'a' }), call('read', '{"path":"A"}', { id: 'b' })];
    const now = await answer(fail(200, { body: JSON.stringify(whole({ content: null, tool_calls: calls })) }));
    expect(now.calls).toEqual([
      { ...READ_A, id: 'a' },
      { ...READ_A, id: 'b' },
    ]);
    const old = { content: null, function_call: { name: 'read', arguments: '{"path":"A"}' } };
    const before = await answer(fail(200, { body: JSON.stringify(whole(old)) }));
    expect(before.calls).toEqual([{ ...READ_A, id: expect.any(String) }]);
    expect(before.end.stop).toBe('tool-calls');
  });

  it('counts without a reason, because it is whole', async () => {
    const { text, end } = await answer(
      fail(200, { body: JSON.stringify({ choices: [{ message: { content: 'Hello.' } }] }) }),
    );
    expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
  });

  it('says that it came to the limit', async () => {
    const cut = { choices: [{ message: { content: 'Hel' }, finish_reason: 'length' }] };
    const { text, end } = await answer(fail(200, { body: JSON.stringify(cut) }));
    expect([text, end.stop]).toEqual(['Hel', 'length']);
  });

  it('is a failure when a part of it is missing', async () => {
    const { end } = await answer(fail(200, { body: JSON.stringify(whole({ content: 'Hello.' })).slice(0, -20) }));
    expect(end.error).toMatchObject({ kind: 'malformed', message: 'odd sent an answer that is no whole JSON' });
  });

  it.each<[string, object, string]>([
    ['an error', { error: { message: 'Out of memory.' } }, 'odd reported an error: Out of memory.'],
    [
      'something else',
      { detail: 'Not here.' },
      'odd answered with something else than an answer: Not here. Check its baseUrl.',
    ],
    ['a list', [], 'odd answered with something else than an answer. Check its baseUrl.'],
  ])("is a failure in the server's words when it is %s", async (_, body, message) => {
    const { end } = await answer(fail(200, { body: JSON.stringify(body) }));
    expect([end.stop, end.error?.message]).toEqual(['error', message]);
  });
});

it('reads a stream that calls itself JSON', async () => {
  const { text, end } = await answer(fail(200, { body: HELLO + STOP + DONE }));
  expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
});

describe('text and calls of older and other forms', () => {
  it.each<[string, unknown, string]>([
    ['a number', 42, '42'],
    ['zero', 0, '0'],
    ['true', true, 'true'],
    [
      'a list of parts',
      [
        { type: 'text', text: 'Hel' },
        { type: 'text', text: 'lo.' },
      ],
      'Hello.',
    ],
    ['a list of texts', ['Hel', 'lo.'], 'Hello.'],
    ['parts of another name', [{ type: 'output_text', text: 'Hello.' }, { text: ' You.' }], 'Hello. You.'],
    ['a refusal among the parts', [{ type: 'refusal', refusal: 'Hello.' }], 'Hello.'],
    ['an empty list', [], ''],
  ])('text as %s is read', async (_, content, said) => {
    const { text, end } = await answer(chunk({ content }) + STOP + DONE);
    expect([text, end.stop, end.error, end.notes]).toEqual([said, 'stop', undefined, undefined]);
  });

  it('tells thoughts among the parts apart', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'reasoning', text: ' So.' },
      { type: 'text', text: 'Hello.' },
    ];
    const { text, thoughts } = await answer(chunk({ content }) + STOP + DONE);
    expect([thoughts, text]).toEqual(['Hm. So.', 'Hello.']);
  });

  it('names a part that no text can be made of', async () => {
    const content = [
      { type: 'text', text: 'Look:' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ];
    const { text, end } = await answer(chunk({ content }) + STOP + DONE);
    expect([text, end.stop]).toEqual(['Look:', 'stop']);
    expect(end.notes).toEqual(['A part of type "image_url" of the answer is no text and was left out.']);
  });

  it('reads the text of a completion', async () => {
    const { text, end } = await answer(event({ choices: [{ text: 'Hello.' }] }) + STOP + DONE);
    expect([text, end.stop]).toEqual(['Hello.', 'stop']);
  });

  it('reads the old function_call, in pieces', async () => {
    const pieces = [
      { function_call: { name: 'read', arguments: '' } },
      { function_call: { arguments: '{"path":' } },
      { function_call: { arguments: '"A"}' } },
    ];
    const { calls, end } = await answer(
      pieces.map((piece) => chunk(piece)).join('') + chunk({}, { finish_reason: 'function_call' }) + DONE,
    );
    expect([calls, end.stop]).toEqual([[{ ...READ_A, id: expect.stringMatching(/./) }], 'tool-calls']);
  });

  it('reads one call when a server tells it in both forms', async () => {
    const both = { tool_calls: [call('read', '{"path":"A"}', { index: 0, id: 'a' })] };
    const old = { function_call: { name: 'read', arguments: '{"path":"A"}' } };
    const { calls } = await answer(chunk({ ...both, ...old }) + STOP + DONE);
    expect(calls).toEqual([{ ...READ_A, id: 'a' }]);
  });

  it('reads calls without an id', async () => {
    const { calls } = await answer(
      chunk({ tool_calls: [call('read', '{"path":"A"}', { index: 0 })] }) +
        chunk({ tool_calls: [call('read', '{"path":"A"}', { index: 1, id: null })] }) +
        STOP +
        DONE,
    );
    expect(calls).toEqual([
      { ...READ_A, id: expect.stringMatching(/./) },
      { ...READ_A, id: expect.stringMatching(/./) },
    ]);
    expect(new Set(calls.map((each) => each.type === 'tool-call' && each.id)).size).toBe(2);
  });
});

describe('lines of a stream', () => {
  it('are events of their own without an empty line between them', async () => {
    const { text, end } = await answer((HELLO + HELLO + STOP + DONE).replaceAll('\n\n', '\n'));
    expect([text, end.stop, end.error]).toEqual(['Hello.Hello.', 'stop', undefined]);
  });

  it('are events of their own, however lines end', async () => {
    for (const lineEnd of ['\r', '\r\n']) {
      const { text, end } = await answer((HELLO + STOP + DONE).replaceAll('\n', lineEnd));
      expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
    }
  });

  it('are one event when only together they are JSON', async () => {
    const spread = JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hello.' } }] }, undefined, 1);
    const lines = spread.split('\n').map((line) => `data: ${line}\n`);
    const { text, end } = await answer(`${lines.join('')}\n${STOP}${DONE}`);
    expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
  });

  it.each([
    '',
    'null',
    '{}',
    '[]',
    'ping',
    '"ping"',
    '[keep-alive]',
    ': heartbeat',
  ])('that only keep the connection open are ignored: %s', async (sign) => {
    const { text, end } = await answer(`${HELLO}data: ${sign}\n\n${HELLO}${STOP}${DONE}`);
    expect([text, end.stop, end.error, end.notes]).toEqual(['Hello.Hello.', 'stop', undefined, undefined]);
  });
});

describe('one broken event among good ones', () => {
  const BROKEN = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"lo\n\n';

  it('makes the answer fail where it may have held a part of it, and is shown', async () => {
    const { end } = await answer(HELLO + BROKEN + HELLO + STOP + DONE);
    expect(end).toMatchObject({ stop: 'error', error: { kind: 'malformed', retryable: true } });
    expect(end.error?.message).toBe(
      'odd sent something that cannot be read: it is no JSON ({"id":"c","choices":[{"index":0,"delta":{"content":"lo)',
    );
  });

  it('makes the answer fail without an empty line behind it too', async () => {
    const { end } = await answer((HELLO + BROKEN + HELLO + STOP + DONE).replaceAll('\n\n', '\n'));
    expect(end.error?.message).toContain('it is no JSON ({"id":"c"');
  });

  it('tells no call of an answer that fails so', async () => {
    const { calls, end } = await answer(
      chunk({ tool_calls: [call('read', '{"path":"A"}', { index: 0, id: 'a' })] }) + BROKEN + STOP + DONE,
    );
    expect([calls, end.stop]).toEqual([[], 'error']);
  });

  it('is left out and named behind the reason, where nothing of the answer comes', async () => {
    const { text, end } = await answer(`${HELLO + STOP}data: {"usage":{"completion_tokens":\n\n${DONE}`);
    expect([text, end.stop, end.error]).toEqual(['Hello.', 'stop', undefined]);
    expect(end.notes).toEqual([
      'An event behind the end of the answer cannot be read and was left out: {"usage":{"completion_tokens":',
    ]);
  });

  it('is left out and named when the protocol does not have its kind, without a key that it repeats', async () => {
    const { text, end } = await answer(HELLO + event({ type: 'trace', key: 'sk-abcdef123456' }) + STOP + DONE);
    expect([text, end.stop]).toEqual(['Hello.', 'stop']);
    expect(end.notes).toEqual([
      'An event of a kind that the protocol does not have was left out: {"type":"trace","key":"[redacted]"}',
    ]);
  });
});

describe('an answer that is withheld', () => {
  it.each<[string, object, string]>([
    ['the reason', { finish_reason: 'content_filter' }, 'content_filter'],
    ['the reason of another name', { finish_reason: 'SAFETY' }, 'SAFETY'],
    [
      "the reason of the provider's provider",
      { finish_reason: 'content_filter', native_finish_reason: 'PROHIBITED_CONTENT' },
      'PROHIBITED_CONTENT',
    ],
    [
      'what was found',
      {
        finish_reason: 'content_filter',
        content_filter_results: {
          hate: { filtered: false, severity: 'safe' },
          violence: { filtered: true, severity: 'high' },
          jailbreak: { filtered: true, detected: true },
        },
      },
      'content_filter, violence (high), jailbreak',
    ],
  ])('says why, by %s', async (_, choice, withheld) => {
    const { text, end } = await answer(chunk({}, choice) + DONE);
    expect([text, end.stop, end.withheld]).toEqual(['', 'refusal', withheld]);
  });

  it('says nothing of it when it is not withheld', async () => {
    expect((await answer(HELLO + STOP + DONE)).end.withheld).toBeUndefined();
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
    ['a detail without choices', { detail: [{ msg: 'Out of memory.' }] }],
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
