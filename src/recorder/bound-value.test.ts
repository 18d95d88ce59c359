import { describe, expect, it } from 'vitest';
import { boundJson, boundValue } from './bound-value.ts';

const LIMITS = { characters: 20, items: 2, keys: 3, depth: 2, values: 100 };

describe('a value in a record', () => {
  it('stays as it is when it is small and has no secrets', () => {
    const value = { text: 'a "quoted"\n\u2028 word', list: [1, -0.5, true, null], nested: { empty: {}, none: [] } };
    expect(boundValue(value)).toEqual(value);
    expect(boundJson(value)).toBe(JSON.stringify(value));
  });

  it('is JSON, whatever a plugin or a model made', () => {
    const odd = {
      nan: Number.NaN,
      big: 12n,
      gone: undefined,
      call: () => {},
      symbol: Symbol('s'),
      error: new TypeError('It broke.'),
      half: '\ud800',
      hole: [undefined, Number.POSITIVE_INFINITY],
    };
    expect(JSON.parse(boundJson(odd))).toEqual({
      nan: 'NaN',
      big: '12',
      symbol: null,
      error: 'TypeError: It broke.',
      half: '\ud800',
      hole: [null, 'Infinity'],
    });
    expect(Object.keys(boundValue(JSON.parse('{"__proto__":{"a":1}}')) ?? {})).toEqual(['__proto__']);
  });

  it('says what was left out', () => {
    expect(boundValue({ a: 1, b: 2, c: 3, d: 4, e: 5 }, LIMITS)).toEqual({
      a: 1,
      b: 2,
      c: 3,
      '…': '[2 more keys left out]',
    });
    expect(boundValue([1, 2, 3], LIMITS)).toEqual([1, 2, '[1 more items left out]']);
    expect(boundValue({ a: { b: { c: 1 } } }, LIMITS)).toEqual({ a: { b: '[deeper values left out]' } });
    expect(boundValue('x'.repeat(25), LIMITS)).toBe(`${'x'.repeat(20)}…[5 more characters left out]`);
  });

  it('has no secrets, neither under their names nor inside of texts', () => {
    const value = { apiKey: 'abc', token: 12, note: 'the key is sk-abcdefghijklmnop', 'sk-abcdefghijklmnop': 1 };
    expect(boundValue(value)).toEqual({
      apiKey: '[redacted]',
      token: 12,
      note: 'the key is sk-[redacted]',
      'sk-[redacted]': 1,
    });
  });
});
