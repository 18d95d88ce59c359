import { describe, expect, it } from 'vitest';
import { remembered } from './remembered.ts';

describe('A function that remembers its answers', () => {
  const asked: string[] = [];
  const lengthOf = remembered(2, (text) => {
    asked.push(text);
    return { length: text.length };
  });

  it('works out each text once, and forgets the oldest answer when it has too many', () => {
    expect([lengthOf('a'), lengthOf('bb'), lengthOf('a')]).toEqual([{ length: 1 }, { length: 2 }, { length: 1 }]);
    expect(asked).toEqual(['a', 'bb']);
    lengthOf('ccc');
    lengthOf('bb');
    expect(asked).toEqual(['a', 'bb', 'ccc']);
    expect(lengthOf('a')).toEqual({ length: 1 });
    expect(asked).toEqual(['a', 'bb', 'ccc', 'a']);
  });

  it('does not keep a long text', () => {
    const long = 'x'.repeat(1_000);
    expect(lengthOf(long)).toEqual({ length: 1_000 });
    lengthOf(long);
    expect(asked.filter((text) => text === long)).toHaveLength(2);
  });
});
