import { expect, it } from 'vitest';
import { isDashedName, suggestDashedName, titleOfName } from './dashed-name.ts';

it('is words in small letters with dashes between them', () => {
  for (const name of ['tea', 'tea-time', 'tea-2']) expect(isDashedName(name), name).toBe(true);
  for (const name of ['', 'Tea', '2tea', 'tea_time', 'tea--time', '-tea', 'tea-', '../tea', 'a'.repeat(65)]) {
    expect(isDashedName(name), name).toBe(false);
  }
});

it('is suggested from what was typed, where something of it can be used', () => {
  expect(suggestDashedName('Tea Time!')).toBe('tea-time');
  expect(suggestDashedName('teaTime')).toBe('tea-time');
  expect(suggestDashedName('../2-tea')).toBe('tea');
  expect(suggestDashedName(`${'a'.repeat(63)}-b`)).toBe('a'.repeat(63));
  expect(suggestDashedName('42')).toBe(undefined);
});

it('reads as a heading', () => {
  expect(titleOfName('tea-time')).toBe('Tea time');
});
