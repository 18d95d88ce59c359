import { describe, expect, it } from 'vitest';
import { parseLocalTime } from './parse-local-time.ts';

describe('a local time', () => {
  const now = new Date('2026-05-06T10:00:00Z');
  const parse = (text: string, zone = 'UTC') => parseLocalTime(text, now, zone)?.toISOString();

  it.each([
    ['23:30', 'UTC', '2026-05-06T23:30:00.000Z'],
    ['7:05', 'UTC', '2026-05-06T07:05:00.000Z'],
    ['23:30:15', 'UTC', '2026-05-06T23:30:15.000Z'],
    ['23:30', 'Asia/Tokyo', '2026-05-06T14:30:00.000Z'],
    ['2026-12-24', 'UTC', '2026-12-24T00:00:00.000Z'],
    ['2026-12-24T18:00', 'Europe/Berlin', '2026-12-24T17:00:00.000Z'],
    ['2026-07-24 18:00', 'Europe/Berlin', '2026-07-24T16:00:00.000Z'],
    ['2026-05-06T08:00:00Z', 'Asia/Tokyo', '2026-05-06T08:00:00.000Z'],
    [' 2026-05-06T08:00:00+02:00 ', 'UTC', '2026-05-06T06:00:00.000Z'],
    ['2028-02-29', 'UTC', '2028-02-29T00:00:00.000Z'],
  ])('%s in %s is %s', (text, zone, expected) => {
    expect(parse(text, zone)).toBe(expected);
  });

  it.each([
    '',
    ' ',
    'T',
    'noon',
    '24:00',
    '12:60',
    '7',
    '2026-13-01',
    '2026-00-10',
    '2026-02-31',
    '2026-02-29',
  ])('%j is none', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it.each(['2026-05-06T', '2026-05-0612:00', '2026-05-06T25:00', '12:00 tomorrow'])('%j is none', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it('is right on both sides of a clock change', () => {
    expect(parse('2026-03-29T01:30', 'Europe/Berlin')).toBe('2026-03-29T00:30:00.000Z');
    expect(parse('2026-03-29T03:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
    expect(parse('2026-10-25T12:00', 'Europe/Berlin')).toBe('2026-10-25T11:00:00.000Z');
    // Of a time that the clock shows twice the first is meant; one that it skips is later by the length of the jump.
    expect(parse('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
    expect(parse('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  });

  it('names its own zone, or is meant in the one that is handed in, with fractions of a second too', () => {
    expect(parse('2026-05-06T08:00:00.250', 'Asia/Tokyo')).toBe('2026-05-05T23:00:00.250Z');
    expect(parse('2026-05-06T08:00-0300', 'Asia/Tokyo')).toBe('2026-05-06T11:00:00.000Z');
    expect(parse('2026-05-06Z')).toBeUndefined();
    expect(parse('08:00Z')).toBeUndefined();
  });
});
