import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../testkit/for-all.ts';
import { BodyParts, partKeyOf } from './body-parts.ts';
import { splitBody } from './split-body.ts';

const asSplit = (body: string) => splitBody(body).map((text) => ({ text, ...partKeyOf(text) }));

describe('the parts of a request', () => {
  it('are those of the text alone, whatever was seen before', () => {
    const content = fc.oneof(
      fc.string({ unit: fc.constantFrom('[', ']', ',', '"', '\\', '{', '}', 'ä', '😀'), maxLength: 30 }),
      fc.integer({ min: 1, max: 6_000 }).map((length) => 'x'.repeat(length)),
    );
    const element = fc.record({ role: fc.constantFrom('user', 'assistant'), content });
    const conversation = fc.record({
      messages: fc.array(element, { minLength: 4, maxLength: 30 }),
      tools: fc.array(element, { maxLength: 12 }),
    });
    /** Every step takes a conversation and some of its messages, so that lists grow, shrink, branch and come again. */
    const step = fc.record({ which: fc.nat(1), upTo: fc.integer({ min: 1, max: 30 }), changed: fc.option(fc.nat(29)) });
    forAll([fc.tuple(conversation, conversation), fc.array(step, { maxLength: 14 })], 60, (conversations, steps) => {
      const parts = new BodyParts();
      for (const { which, upTo, changed } of steps) {
        const { messages, tools } = conversations[which as 0 | 1];
        const said = messages.slice(0, upTo).map((each, at) => (at === changed ? { ...each, content: 'other' } : each));
        const body = JSON.stringify({ model: 'm', messages: said, tools, stream: true });
        expect(parts.of(body)).toEqual(asSplit(body));
        const lists = `{"messages":${JSON.stringify(said)},"tools":${JSON.stringify(tools)}`;
        const withMore = `${lists},"report":{"messages":${JSON.stringify(said)}}}`;
        expect(parts.of(withMore, { listsEnd: lists.length })).toEqual(asSplit(withMore));
        const cut = parts.of(withMore, { listsEnd: lists.length, cuts: [lists.length + 10] });
        expect(cut.map(({ text }) => text).join('')).toBe(withMore);
        expect(cut.at(-1)?.text).toBe(withMore.slice(lists.length + 10));
      }
    });
  });

  it('are those of any text, JSON or not, also when it begins like one before', () => {
    const noise = fc.string({ unit: fc.constantFrom('{', '}', '[', ']', ',', '"', '\\', 'a'), maxLength: 40 });
    const list = `{"messages":[${Array.from({ length: 40 }, (_, at) => `"${at} ${'y'.repeat(300)}"`).join()}`;
    forAll([fc.array(fc.tuple(fc.nat(list.length), noise), { maxLength: 8 })], 80, (tries) => {
      const parts = new BodyParts();
      for (const [upTo, end] of [[list.length, ']}'] as const, ...tries]) {
        const body = list.slice(0, upTo) + end;
        expect(parts.of(body)).toEqual(asSplit(body));
      }
    });
  });
});
