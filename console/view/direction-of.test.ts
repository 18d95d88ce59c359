import { describe, expect, it } from 'vitest';
import { directionOf } from './direction-of.ts';

describe('the direction of a text', () => {
  it.each([
    ['', undefined],
    ['12. ?', undefined],
    ['Hello שלום', 'ltr'],
    ['1) שלום Hello', 'rtl'],
    ['مرحبا', 'rtl'],
    ['日本', 'ltr'],
  ] as const)('of %j is %s', (text, direction) => {
    expect(directionOf(text)).toBe(direction);
  });
});
