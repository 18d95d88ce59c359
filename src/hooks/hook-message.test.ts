import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../protocol/json.ts';
import type { AssistantPart, Message } from '../protocol/message.ts';
import { hookMessageOf, messageOf, readAnsweredMessage } from './hook-message.ts';

const text = fc.string();
const part: fc.Arbitrary<AssistantPart> = fc.oneof(
  text.map((each): AssistantPart => ({ type: 'text', text: each })),
  fc
    .record({ id: text, name: text, params: fc.jsonValue() })
    .map((call): AssistantPart => ({ type: 'tool-call', ...call, params: call.params as JsonValue })),
);
const message: fc.Arbitrary<Message> = fc.oneof(
  text.map((content): Message => ({ role: 'user', content })),
  fc.array(part).map((content): Message => ({ role: 'assistant', content })),
  fc
    .record({ toolCallId: text, toolName: text, content: text, isError: fc.boolean() })
    .map(({ isError, ...rest }): Message => ({ role: 'tool', ...rest, ...(isError ? { isError } : {}) })),
);
/** As it arrives from a handler: through JSON. */
const answered = (value: unknown) => JSON.parse(JSON.stringify(value));
const through = (before: Message, answer: unknown) =>
  messageOf(before, readAnsweredMessage({ ...hookMessageOf(before) }, answered(answer)));

const RESULT: Message = { role: 'tool', toolCallId: 'c', toolName: 'read', content: 'AKIA', isError: true };
const CALL: AssistantPart = { type: 'tool-call', id: 'c', name: 'read', params: { path: 'a' } };
const ASKING: Message = { role: 'assistant', content: [{ type: 'text', text: 'Wait.' }, CALL] };

describe('a message that a handler is given and gives back', () => {
  it('is the same message', () => {
    fc.assert(fc.property(message, (each) => void expect(through(each, hookMessageOf(each))).toEqual(answered(each))));
  });

  it('has the form that published plugins expect', () => {
    expect(hookMessageOf(RESULT, 7)).toEqual({
      role: 'toolResult',
      toolCallId: 'c',
      toolName: 'read',
      content: [{ type: 'text', text: 'AKIA' }],
      isError: true,
      timestamp: 7,
    });
    expect(hookMessageOf(ASKING)).toEqual({
      role: 'assistant',
      content: [
        { type: 'text', text: 'Wait.' },
        { type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'a' } },
      ],
      stopReason: 'toolUse',
    });
  });
});

describe('an answer', () => {
  const said = (content: unknown, rest: object = {}) => through(RESULT, { ...hookMessageOf(RESULT), content, ...rest });

  it('may hold blocks, texts or one text, and call a result `tool`', () => {
    const redacted = { ...RESULT, content: 'gone' };
    expect(said([{ type: 'text', text: 'gone' }])).toEqual(redacted);
    expect(said('gone')).toEqual(redacted);
    expect(said(['gone'], { role: 'tool' })).toEqual(redacted);
    expect(through(RESULT, { role: 'tool', content: 'gone' })).toEqual(redacted);
    expect(said([{ type: 'text', text: 'gone' }], { isError: false })).toEqual({ ...redacted, isError: undefined });
    expect(said([])).toEqual({ ...RESULT, content: '' });
  });

  it('leaves a mark for a block that cannot be kept', () => {
    const picture = { type: 'image', data: 'xx', mimeType: 'image/png' };
    expect(said([{ type: 'text', text: 'See:' }, picture])).toEqual({ ...RESULT, content: 'See:\n[image]' });
  });

  it('may change the words and parameters of a call, and not the call', () => {
    const [, call] = hookMessageOf(ASKING).content;
    const changed = { ...call, arguments: { path: '[redacted]' } };
    expect(through(ASKING, { role: 'assistant', content: [changed] })).toEqual({
      role: 'assistant',
      content: [{ ...CALL, params: { path: '[redacted]' } }],
    });
    expect(through(ASKING, { role: 'assistant', content: 'Hush.' })).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Hush.' }, CALL],
    });
    expect(() => through(ASKING, { role: 'assistant', content: [] })).toThrow('tool call');
    expect(() => said('x', { toolCallId: 'other' })).toThrow('another');
    expect(() => said('x', { role: 'user' })).toThrow('turned a message of toolResult into one of user');
  });

  it('that is no message is refused with the reason', () => {
    for (const content of [undefined, 7, { text: 'x' }, [7], [{ text: 'x' }], [{ type: 'text' }]]) {
      expect(() => said(content)).toThrow(/content|text/);
    }
  });
});
