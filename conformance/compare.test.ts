import { describe, expect, it } from 'vitest';
import { decodeStandIns, matches } from './compare.ts';
import { TextFacts } from './text-facts.ts';

describe('comparing an output with the recorded one', () => {
  it('is deep and exact', () => {
    expect(matches({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
    expect(matches({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
    expect(matches({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(matches({ a: 1, b: 2 }, { a: 1 })).toBe(false);
    expect(matches(null, undefined)).toBe(false);
    expect(matches([], {})).toBe(false);
    expect(matches('1', 1)).toBe(false);
  });

  it('treats an undefined value as an absent key', () => {
    expect(matches({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(matches({ a: 1, b: { $undefined: true } }, { a: 1 })).toBe(true);
    expect(matches({ $undefined: true }, undefined)).toBe(true);
    expect(matches({ $undefined: true }, null)).toBe(false);
  });

  it('knows numbers that JSON cannot write', () => {
    expect(matches({ $number: 'NaN' }, Number.NaN)).toBe(true);
    expect(matches({ $number: '-Infinity' }, Number.POSITIVE_INFINITY)).toBe(false);
    expect(decodeStandIns({ a: [{ $number: 'Infinity' }, { $undefined: true }] })).toEqual({
      a: [Number.POSITIVE_INFINITY, undefined],
    });
  });

  it('accepts any value of the masked kind, also inside a text', () => {
    expect(matches('<iso>', '2026-01-01T00:00:00.000Z')).toBe(true);
    expect(matches('<iso>', 'yesterday')).toBe(false);
    expect(matches('<ms>', 12)).toBe(true);
    expect(matches('took <ms> ms.', 'took 12.5 ms.')).toBe(true);
    expect(matches('took <ms> ms.', 'took 12 msX')).toBe(false);
    expect(matches('run <uuid>', 'run 123e4567-e89b-12d3-a456-426614174000')).toBe(true);
  });

  it('compares lists as sets only where the case says so', () => {
    expect(matches({ a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 2 }, { b: 1 }] }, { unordered: true })).toBe(true);
    expect(matches([1, 1, 2], [1, 2, 2], { unordered: true })).toBe(false);
  });

  it('asks a long text only for the facts that were recorded', () => {
    const text = new TextFacts('häh', { path: '/p' });
    expect(matches({ path: '/p', length: 3, utf8Bytes: 4, text: 'häh' }, text)).toBe(true);
    expect(matches({ path: '/p', length: 4 }, text)).toBe(false);
    expect(matches({ length: 3 }, text)).toBe(false);
    expect(matches({ text: 'häh' }, new TextFacts('häh'))).toBe(true);
    expect(matches({ text: 'häh', colour: 'red' }, new TextFacts('häh'))).toBe(false);
  });
});
