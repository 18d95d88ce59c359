// Servers that speak Google's protocol nearly, and answers that are rare: what they mean is clear, so they count. What is
// not clear is named.

import { describe, expect, it } from 'vitest';
import { readBytes } from '../fixtures/read-bytes.ts';
import { CONTENT_EVENTS } from './content-events.ts';

const answer = (...events: readonly object[]) =>
  readBytes(CONTENT_EVENTS, events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join(''));
const parts = (...list: readonly unknown[]) => ({ candidates: [{ content: { role: 'model', parts: list } }] });
const ends = (finishReason: string, more: object = {}) => ({ candidates: [{ finishReason, ...more }] });
const STOP = ends('STOP');

describe('an answer that is clear', () => {
  it('gives calls without an id one that is the same each time, and never the same to two', () => {
    const call = { functionCall: { name: 'read', args: { path: 'A' } } };
    const taken = { functionCall: { id: 'call_1', name: 'read' } };
    const { calls, stop } = answer(parts(call, taken), parts(call), parts(taken), STOP);
    expect(calls.map(({ id, input }) => [id, input])).toEqual([
      ['call_0', '{"path":"A"}'],
      ['call_1', '{}'],
      ['call_2', '{"path":"A"}'],
      ['call_3', '{}'],
    ]);
    expect(stop).toBe('tool-calls');
  });

  it('counts when a whole answer comes where a stream was asked for', () => {
    const whole = {
      ...parts({ text: 'Hm.', thought: true }, { text: 'Hello.' }),
      usageMetadata: {
        promptTokenCount: '12',
        candidatesTokenCount: 3,
        thoughtsTokenCount: 4,
        cachedContentTokenCount: 8,
      },
    };
    expect(readBytes(CONTENT_EVENTS, JSON.stringify(whole))).toMatchObject({
      text: 'Hello.',
      thoughts: 'Hm.',
      stop: 'stop',
      usage: { input: 12, output: 7, cacheRead: 8 },
    });
  });

  it('passes over signatures and what the provider did with tools of its own, and notes a picture', () => {
    const { text, notes } = answer(
      parts({ thoughtSignature: 'c2ln' }, { executableCode: { code: '1' } }, { text: 'Hello.' }),
      parts({ inlineData: { mimeType: 'image/png', data: 'AA==' } }),
      STOP,
    );
    expect(text).toBe('Hello.');
    expect(notes).toEqual(['A part of type "inlineData" of the answer is no text and was left out.']);
  });

  it('is the first of several', () => {
    const second = { index: 1, content: { parts: [{ text: 'Other.' }] } };
    expect(answer({ candidates: [second, { index: 0, content: { parts: [{ text: 'Hi.' }] } }] }, STOP).text).toBe(
      'Hi.',
    );
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'refusal'],
    ['PROHIBITED_CONTENT', 'refusal'],
    ['IMAGE_SAFETY', 'refusal'],
    ['OTHER', 'stop'],
  ])('that ends with %s ends with %s', (reason, stop) => {
    expect(answer(parts({ text: 'He' }), ends(reason)).stop).toBe(stop);
  });

  it('says why it is withheld, also when the question itself was not taken', () => {
    expect(answer(ends('SAFETY', { finishMessage: 'Too sharp.' })).withheld).toBe('SAFETY, Too sharp.');
    const blocked = answer({ promptFeedback: { blockReason: 'BLOCKLIST' }, usageMetadata: { promptTokenCount: 9 } });
    expect(blocked).toMatchObject({ stop: 'refusal', withheld: 'BLOCKLIST', usage: { input: 9, output: 0 } });
    expect(answer({ promptFeedback: { blockReason: 'BLOCK_REASON_UNSPECIFIED' } }, STOP).stop).toBe('stop');
  });
});

describe('an answer that is not clear', () => {
  it.each([
    ['text that is none', [parts({ text: 7 })], 'parts.0.text: expected string, received number'],
    ['a call without a name', [parts({ functionCall: { args: {} } })], 'functionCall.name: expected string'],
    ['parameters that are no object', [parts({ functionCall: { name: 'read', args: [1] } })], 'expected object'],
    [
      'parameters in pieces, which were not asked for',
      [parts({ functionCall: { name: 'read', partialArgs: [] } })],
      'partialArgs: was not asked for',
    ],
    ['a part of an unknown kind', [parts({ hologram: {} })], 'hologram'],
    ['candidates that are no list', [{ candidates: 'x' }], 'candidates: expected array, received string'],
    ['a call that the model could not write', [ends('MALFORMED_FUNCTION_CALL')], 'MALFORMED_FUNCTION_CALL'],
  ])('names %s', (_, events, problem) => {
    const { fault, stop } = answer(...events, STOP);
    expect(stop).toBeUndefined();
    expect(JSON.stringify(fault)).toContain(problem);
  });

  it('is one that never says that it is over', () => {
    expect(answer(parts({ text: 'Hello.' })).stop).toBeUndefined();
  });

  it('is an error inside the stream', () => {
    const { text, fault } = answer(parts({ text: 'He' }), {
      error: { code: 503, message: 'Busy', status: 'UNAVAILABLE' },
    });
    expect(text).toBe('He');
    expect(fault).toMatchObject({ reported: { code: 503, message: 'Busy' } });
  });
});
