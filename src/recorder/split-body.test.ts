import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyString } from '../testkit/any-string.ts';
import { forAll } from '../testkit/for-all.ts';
import { splitBody } from './split-body.ts';

const long = (label: string) => `${label} ${'x'.repeat(5_000)}`;

describe('splitting a request', () => {
  it('gives back any text when joined, JSON or not', () => {
    const noise = fc.string({
      unit: fc.constantFrom('{', '}', '[', ']', ',', '"', '\\', ':', 'a', '\n', '😀', '\uD800'),
    });
    forAll([fc.oneof(noise, anyString(), fc.json())], 250, (body) => {
      expect(splitBody(body).join('')).toBe(body);
    });
  });

  it('gives back large requests, cut at most elements of their lists', () => {
    const element = fc.record({ role: fc.constant('user'), content: fc.string({ unit: 'grapheme', maxLength: 400 }) });
    const request = fc.record({
      model: fc.string(),
      system: fc.array(element, { maxLength: 5 }),
      messages: fc.array(element, { minLength: 20, maxLength: 80 }),
    });
    forAll([request, fc.integer({ min: 0, max: 2 })], 60, (value, indent) => {
      const body = JSON.stringify(value, null, indent);
      const pieces = splitBody(body);
      expect(pieces.join('')).toBe(body);
      expect(pieces.every((piece) => piece !== '')).toBe(true);
    });
  });

  it('keeps the pieces of a conversation the same while it grows', () => {
    const messages = Array.from({ length: 10 }, (_, turn) => ({ role: 'user', content: long(`turn ${turn}`) }));
    const before = splitBody(JSON.stringify({ model: 'm', messages, stream: true }));
    const after = splitBody(
      JSON.stringify({ model: 'm', messages: [...messages, { role: 'user', content: 'more' }], stream: true }),
    );
    expect(before.filter((piece) => !after.includes(piece))).toEqual([]);
  });

  it('does not take brackets, commas and quotes inside of texts for the shape', () => {
    const content = `[{"a":1},\\",[]],${long('')}`;
    const pieces = splitBody(JSON.stringify({ messages: [{ content }, { content: 'last' }] }));
    expect(pieces).toEqual(['{"messages":[', JSON.stringify({ content }), ',{"content":"last"}', ']}']);
  });

  it('leaves small requests whole', () => {
    const body = JSON.stringify({ model: 'm', system: ['a', 'b'], messages: [{ role: 'user', content: 'hi' }] });
    expect(splitBody(body)).toEqual([body]);
    expect(splitBody('')).toEqual(['']);
  });

  it('reads any text of ten megabytes once', () => {
    const hostile = ['{"messages":["', '\\'.repeat(5_000_000), '"'.repeat(2_500_000), '['.repeat(2_500_000)].join('');
    expect(splitBody(hostile).join('')).toBe(hostile);
  });
});
