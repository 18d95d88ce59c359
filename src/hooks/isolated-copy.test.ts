import { describe, expect, it } from 'vitest';
import { frozenCopy, isolatedCopy, isolatedEvent } from './isolated-copy.ts';

describe('an isolated copy', () => {
  it('is equal and shares nothing that can be changed', () => {
    const value = { a: [{ b: 1 }], c: undefined, d: null };
    const copy = isolatedCopy(value);
    expect(copy).toEqual(value);
    expect(Object.keys(copy)).toEqual(['a', 'c', 'd']);
    copy.a[0] = { b: 2 };
    expect(value.a).toEqual([{ b: 1 }]);
  });

  it('passes functions and objects of a class on', () => {
    const signal = new AbortController().signal;
    const ask = () => 1;
    expect(isolatedCopy({ signal, ask })).toEqual({ signal, ask });
    expect(isolatedCopy({ signal }).signal).toBe(signal);
  });

  it('keeps circles circles', () => {
    const circle: { self?: unknown; again?: unknown } = {};
    circle.self = circle;
    circle.again = [circle, circle];
    const copy = isolatedCopy(circle);
    expect(copy.self).toBe(copy);
    expect(copy.again).toEqual([copy, copy]);
  });

  it('is not fooled by a field that is called like the prototype', () => {
    const copy = isolatedCopy(JSON.parse('{ "__proto__": { "polluted": true } }'));
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(copy.polluted).toBeUndefined();
  });

  it('survives any depth', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 50_000; level++) deep = [deep];
    expect(Array.isArray(isolatedCopy(deep))).toBe(true);
  });
});

describe('a frozen copy', () => {
  it('cannot be changed anywhere, while the original can', () => {
    const value = { a: [{ b: 1 }] };
    const copy = frozenCopy(value);
    expect(() => copy.a.push({ b: 2 })).toThrow();
    expect(() => Object.assign(copy.a[0] ?? {}, { b: 3 })).toThrow();
    value.a.push({ b: 2 });
    expect(copy).toEqual({ a: [{ b: 1 }] });
  });
});

describe('an event of one’s own', () => {
  const history = (length: number) => Array.from({ length }, (_, index) => ({ role: 'user', content: `${index}` }));

  it.each([3, 100])('is equal and shares nothing, with a history of %i', (length) => {
    const event = { prompt: 'hi', messages: history(length), params: { deep: [1] } };
    const own = isolatedEvent(event);
    expect(own).toEqual(event);
    expect(Object.keys(own)).toEqual(Object.keys(event));
    expect(structuredClone(own)).toEqual(event);
    expect(JSON.stringify({ ...own })).toBe(JSON.stringify(event));
    Object.assign(own.messages[0] ?? {}, { content: 'spoilt' });
    own.messages.push({ role: 'user', content: 'more' });
    own.params.deep.push(2);
    expect(event).toEqual({ prompt: 'hi', messages: history(length), params: { deep: [1] } });
    expect(own.messages).toHaveLength(length + 1);
  });

  it('lets a long list be replaced', () => {
    const own = isolatedEvent({ messages: history(100) });
    own.messages = [];
    expect(own).toEqual({ messages: [] });
  });

  it('copies a long list for those who look at it, and once', () => {
    let looks = 0;
    const messages = history(100);
    const [first] = messages;
    Object.defineProperty(first, 'content', { enumerable: true, get: () => ++looks });
    const own = isolatedEvent({ prompt: 'hi', messages });
    expect([own.prompt, looks]).toEqual(['hi', 0]);
    expect(own.messages).toBe(own.messages);
    expect(looks).toBe(1);
  });
});
