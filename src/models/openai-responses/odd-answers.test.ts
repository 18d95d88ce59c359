// Servers that speak the Responses protocol nearly: what they mean is clear, so their answers count. What is not clear is
// named.

import { describe, expect, it } from 'vitest';
import { readBytes } from '../fixtures/read-bytes.ts';
import { RESPONSES_EVENTS } from './responses-events.ts';

const answer = (...events: readonly object[]) =>
  readBytes(RESPONSES_EVENTS, events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));

const message = (text: string) => ({ type: 'message', id: 'm', content: [{ type: 'output_text', text }] });
const call = { type: 'function_call', id: 'fc', call_id: 'call_1', name: 'read', arguments: '{"path":"A"}' };
const TOLD_CALL = { type: 'tool-call', id: 'call_1', name: 'read', input: '{"path":"A"}' };
const said = (delta: string, more: object = { output_index: 0 }) => ({
  type: 'response.output_text.delta',
  delta,
  ...more,
});
const completed = (response: object = {}) => ({ type: 'response.completed', response });
const done = (item: object, more: object = { output_index: 0 }) => ({
  type: 'response.output_item.done',
  item,
  ...more,
});

describe('an answer that is clear', () => {
  it('counts when its text comes only with the end of its item', () => {
    expect(answer(done(message('Hello.')), completed())).toMatchObject({ text: 'Hello.', stop: 'stop' });
  });

  it('counts when its text and its calls come only with the end of the response', () => {
    const { text, calls, stop } = answer(completed({ output: [message('Hello.'), call] }));
    expect([text, calls, stop]).toEqual(['Hello.', [TOLD_CALL], 'tool-calls']);
  });

  it('is not told twice when the end repeats it, whether or not the server counts its items', () => {
    const repeated = completed({ output: [message('Hello.'), call] });
    const counted = answer(said('Hello.'), done(message('Hello.')), done(call, { output_index: 1 }), repeated);
    const named = answer(said('Hello.', { item_id: 'm' }), done(message('Hello.'), {}), done(call, {}), repeated);
    for (const { text, calls } of [counted, named]) expect([text, calls]).toEqual(['Hello.', [TOLD_CALL]]);
  });

  it('counts when a whole response comes where a stream was asked for', () => {
    const whole = JSON.stringify({
      object: 'response',
      status: 'completed',
      output: [
        { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'x' },
        message('Hello.'),
        call,
      ],
      usage: { input_tokens: '12', output_tokens: 3, input_tokens_details: { cached_tokens: 8 } },
    });
    expect(readBytes(RESPONSES_EVENTS, whole)).toMatchObject({
      text: 'Hello.',
      thoughts: 'Hm.',
      calls: [TOLD_CALL],
      usage: { input: 12, output: 3, cacheRead: 8 },
    });
  });

  it('counts when the beginning of a call comes twice, and when the call has only the id of its item', () => {
    const added = { type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: '' } };
    expect(answer(added, added, done(call), completed()).calls).toEqual([TOLD_CALL]);
    const { call_id: _, ...bare } = call;
    expect(answer(done(bare), completed()).calls).toEqual([{ ...TOLD_CALL, id: 'fc' }]);
  });

  it('is what the model says instead of an answer, when it refuses in words', () => {
    const refused = answer({ type: 'response.refusal.delta', output_index: 0, delta: 'I cannot.' }, completed());
    expect(refused).toMatchObject({ text: 'I cannot.', stop: 'stop' });
    expect(answer(done({ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }), completed()).text).toBe(
      'No.',
    );
  });

  it('passes over what the provider did with tools of its own, and events of kinds that came later', () => {
    const own = { type: 'web_search_call', id: 'w', status: 'completed' };
    const begun = { type: 'response.output_item.added', output_index: 1, item: own };
    const later = { type: 'response.something.new', value: 7 };
    expect(answer(begun, later, done(own, { output_index: 1 }), said('Hello.'), completed()).text).toBe('Hello.');
  });

  it('says why it is over', () => {
    const ended = (reason: string) => answer(said('He'), completed({ incomplete_details: { reason } }));
    expect(ended('max_output_tokens').stop).toBe('length');
    expect(ended('content_filter')).toMatchObject({ stop: 'refusal', withheld: 'content_filter' });
  });
});

describe('an answer that is not clear', () => {
  it.each([
    ['text that is none', [said(7 as unknown as string)], 'delta: expected string, received number'],
    [
      'parameters of a call that never began',
      [{ type: 'response.function_call_arguments.delta', output_index: 0, delta: '{}' }],
      'no call has begun there',
    ],
    ['a call without a name', [done({ ...call, name: null })], 'item.name: expected string, received null'],
    ['an item of a kind that was not asked for', [done({ type: 'computer_call' })], '"computer_call" is not known'],
    ['a response that is none', [{ type: 'response.completed', response: 'ok' }], 'response: expected object'],
  ])('names %s', (_, events, problem) => {
    const { fault, stop } = answer(...events, completed());
    expect(stop).toBeUndefined();
    expect(JSON.stringify(fault)).toContain(problem.replaceAll('"', '\\"'));
  });

  it('is one that never says that it is over', () => {
    expect(answer(said('Hello.')).stop).toBeUndefined();
  });
});

describe('an error inside the answer', () => {
  it.each([
    ['an event', { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down' }],
    ['an event of the old form', { type: 'error', error: { code: 'server_error', message: 'Slow down' } }],
    ['an error without a type', { error: { message: 'Slow down' } }],
    ['a failed response', { type: 'response.failed', response: { error: { code: 'x', message: 'Slow down' } } }],
    ['a completed response', completed({ status: 'failed', error: { message: 'Slow down' } })],
  ])('is read from %s', (_, event) => {
    const { text, fault } = answer(said('He'), event);
    expect(text).toBe('He');
    expect(fault).toMatchObject({ reported: { message: 'Slow down' } });
  });

  it('has words also when the server gives none', () => {
    expect(answer({ type: 'response.failed', response: {} }).fault).toEqual({
      reported: { message: 'the response failed' },
    });
  });
});
