import { describe, expect, it } from 'vitest';
import { chain, chainedEvent, collect, first, isClaim, strictest } from './combinators.ts';

describe('collect', () => {
  it('joins texts with a blank line, in order, and leaves empty ones out', () => {
    expect(['a', '', 'b'].reduce<unknown>(collect, undefined)).toBe('a\n\nb');
    expect(collect('', 'x')).toBe('x');
    expect(collect('x', '')).toBe('x');
  });

  it('does not trim', () => {
    expect(collect(' a\n', ' b')).toBe(' a\n\n\n b');
  });

  it('concatenates lists without changing them', () => {
    const before = [1];
    expect(collect(before, [2, 3])).toEqual([1, 2, 3]);
    expect(before).toEqual([1]);
  });
});

describe('first', () => {
  it('keeps what was said first, an empty text too', () => {
    expect(first('a', 'b')).toBe('a');
    expect(first('', 'b')).toBe('');
    expect(first(undefined, 'b')).toBe('b');
  });
});

describe('chain', () => {
  it('keeps what was said last', () => {
    expect(chain('a', 'b')).toBe('b');
    expect(chain('a', '')).toBe('');
    expect(chain('a', undefined)).toBe('a');
  });

  it('puts the last value into the event, and nothing where no handler answered', () => {
    const event = { content: 'one', body: 'one', to: 'ana' };
    expect(chainedEvent(event, { content: 'two' }, ['content'])).toEqual({ content: 'two', body: 'one', to: 'ana' });
    expect(chainedEvent(event, {}, ['content'])).toEqual(event);
    expect(chainedEvent(event, { text: 'two' }, ['text'], { text: ['content', 'body'] })).toEqual({
      content: 'two',
      body: 'two',
      to: 'ana',
    });
  });
});

describe('strictest', () => {
  const levels = ['ask', 'block'] as const;

  it('is block over ask over nothing, in any order', () => {
    expect(strictest(levels, 'ask', 'block')).toBe('block');
    expect(strictest(levels, 'block', 'ask')).toBe('block');
    expect(strictest(levels, undefined, 'ask')).toBe('ask');
    expect(strictest(levels, 'ask', undefined)).toBe('ask');
    expect(strictest(levels, undefined, undefined)).toBeUndefined();
  });
});

describe('claim', () => {
  it('is anything that says it is handled', () => {
    expect(isClaim({ handled: true })).toBe(true);
    expect(isClaim({ handled: 1 })).toBe(true);
    expect(isClaim({ handled: false })).toBe(false);
    expect(isClaim({})).toBe(false);
  });
});
