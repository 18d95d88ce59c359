// The bytes of an answer: wherever the network cuts them, the same is read, and whatever they are, the reading ends well.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Answer } from './answer.ts';
import { AnswerReader, type EventProtocol } from './answer-reader.ts';
import { MESSAGE_EVENTS } from './anthropic/message-events.ts';
import { brokenAnswer } from './fixtures/generated-answers.ts';
import { CONTENT_EVENTS } from './google/content-events.ts';
import { CHAT_EVENTS } from './openai-compatible/chat-events.ts';
import { RESPONSES_EVENTS } from './openai-responses/responses-events.ts';

const PROTOCOLS = {
  'openai-completions': CHAT_EVENTS,
  'anthropic-messages': MESSAGE_EVENTS,
  'openai-responses': RESPONSES_EVENTS,
  'google-generative-ai': CONTENT_EVENTS,
};

function readingOf(pieces: readonly Buffer[], protocol: EventProtocol) {
  const answer = new Answer();
  const reader = new AnswerReader(answer, protocol);
  const said: unknown[] = [];
  for (const piece of pieces) {
    if (reader.isDone) break;
    reader.take(piece);
    said.push(...answer.takeSaid());
  }
  reader.end();
  said.push(...answer.takeSaid());
  const { fault, isOver, hasReason, reason, toolCalls, usage, notes, withheld } = answer;
  const { foreign } = reader;
  return {
    said,
    fault,
    isOver,
    hasReason,
    reason,
    toolCalls,
    usage,
    notes,
    withheld,
    isForeign: foreign !== undefined,
  };
}

const chunk = (content: unknown) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}`;
const line = fc.oneof(
  fc.string({ unit: 'grapheme' }).map(chunk),
  fc.constantFrom(
    '',
    ': alive',
    'event: ping',
    'data: {"choices":[',
    'data: ]}',
    'data: null',
    'data:[DONE]',
    'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}',
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}',
    'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}',
    'data: {"type":"message_stop"}',
    '{"choices":[{"message":{"content":"Hi"}}]}',
    '<html>',
    'rubbish',
  ),
);
const lines = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r', '\n\n')))
  .map((told) => Buffer.from(told.map(([text, end]) => text + end).join('')));

describe.each(Object.entries(PROTOCOLS))('an answer of %s', (_, protocol) => {
  it('is the same wherever the network cuts its bytes', () => {
    fc.assert(
      fc.property(lines, fc.array(fc.nat(400)), (bytes, cuts) => {
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        // A whole answer that is followed by rubbish may be taken before the rubbish comes.
        fc.pre(!/^\s*[{[<"]/.test(bytes.toString('utf8')));
        expect(readingOf(pieces, protocol)).toEqual(readingOf([bytes], protocol));
      }),
    );
  });

  it('never throws and is either whole, at fault, foreign or not ended, whatever the bytes are', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      lines,
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
    );
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 6 }), (pieces) => {
        const { isOver, fault, isForeign } = readingOf(
          pieces.map((piece) => Buffer.from(piece)),
          protocol,
        );
        expect([isOver, fault !== undefined, isForeign].filter(Boolean).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });
});

it('never throws for an answer that its server has broken, and tells calls only of a whole one', () => {
  fc.assert(
    fc.property(brokenAnswer, ({ api, pieces }) => {
      const reading = readingOf(pieces, PROTOCOLS[api]);
      const { said, fault, isOver, toolCalls, notes, usage } = reading;
      expect(isOver && fault !== undefined).toBe(false);
      if (!isOver) expect(toolCalls).toEqual([]);
      expect(said.every((piece) => (piece as { text: string }).text !== '')).toBe(true);
      expect(toolCalls.every(({ id, name, input }) => typeof id === 'string' && name !== '' && input !== '')).toBe(
        true,
      );
      expect(notes.length).toBeLessThanOrEqual(6);
      expect(Object.values(usage).every((count) => Number.isInteger(count) && count >= 0)).toBe(true);
      // One byte at a time is the worst that a network does.
      const bytes = Buffer.concat(pieces);
      const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
      if (!/^\s*[{[<"]/.test(bytes.toString('utf8'))) expect(readingOf(single, PROTOCOLS[api])).toEqual(reading);
    }),
    { numRuns: 200 },
  );
});

it('does not take the two halves of a line end for an empty line', () => {
  const pieces = ['data: {"choices":\r', '\ndata: [{"delta":{"content":"Hi"}}]}\r', '\n\r\n'].map((text) =>
    Buffer.from(text),
  );
  expect(readingOf(pieces, CHAT_EVENTS)).toMatchObject({
    said: [{ type: 'text-delta', text: 'Hi' }],
    fault: undefined,
  });
});

describe('work that grows with every line', () => {
  it('is given up when an event is spread over more lines than any server needs', () => {
    const reader = new AnswerReader(new Answer(), CHAT_EVENTS);
    reader.take(Buffer.from(`data: {"choices": [\n${'data: }\n'.repeat(2_000)}`));
    expect(reader.answer.fault).toEqual({ what: expect.stringContaining('it is no JSON ({"choices": [') });
  });

  it('is bounded when a whole answer comes brace by brace, and the answer is still read at its end', () => {
    const whole = JSON.stringify({ choices: [{ message: { content: '}'.repeat(3_000) } }] });
    const { said, isOver } = readingOf(
      Array.from(Buffer.from(whole), (byte) => Buffer.from([byte])),
      CHAT_EVENTS,
    );
    expect([said, isOver]).toEqual([[{ type: 'text-delta', text: '}'.repeat(3_000) }], true]);
  });
});

it('holds a line that comes byte by byte in little more memory than it has bytes', () => {
  const reader = new AnswerReader(new Answer(), CHAT_EVENTS);
  const byte = Buffer.from('x');
  reader.take(Buffer.from('data: '));
  const before = process.memoryUsage();
  for (let count = 0; count < 2_000_000; count++) reader.take(byte);
  const { heapUsed, external } = process.memoryUsage();
  expect(heapUsed + external - before.heapUsed - before.external).toBeLessThan(2_000_000 * 50);
});

describe('an event behind the reason', () => {
  const STOP = '{"choices":[{"delta":{},"finish_reason":"stop"}]}';

  it('is left out and named when a field of it cannot be read', () => {
    const bytes = Buffer.from(`data: ${STOP}\n\ndata: {"choices":"none"}\n\ndata: [DONE]\n\n`);
    const { isOver, fault, notes } = readingOf([bytes], CHAT_EVENTS);
    expect([isOver, fault]).toEqual([true, undefined]);
    expect(notes).toEqual([
      'An event behind the end of the answer cannot be read and was left out: {"choices":"none"}',
    ]);
  });

  it('makes the answer fail when it brings the reason and cannot be read', () => {
    const bytes = Buffer.from(
      'data: {"choices":[{"delta":{"content":{}},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    );
    expect(readingOf([bytes], CHAT_EVENTS).fault).toEqual({ what: expect.stringContaining('delta.content') });
  });
});
