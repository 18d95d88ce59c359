import { describe, expect, it } from 'vitest';
import { isTimezone } from '../protocol/timezone.ts';
import { isHeartbeat, parseLocalTime, timeContextOf } from './situation.ts';

describe('the time context', () => {
  it('is local to its zone', () => {
    const at = new Date('2026-05-06T23:30:00Z');
    expect(timeContextOf(at, 'UTC')).toEqual({ hour: 23, dayOfWeek: 3, isWeekend: false, timezone: 'UTC' });
    expect(timeContextOf(at, 'Asia/Tokyo')).toMatchObject({ hour: 8, dayOfWeek: 4 });
    expect(timeContextOf(at, 'America/New_York')).toMatchObject({ hour: 19, dayOfWeek: 3 });
    expect(timeContextOf(at, 'Asia/Kolkata')).toMatchObject({ hour: 5, dayOfWeek: 4 });
  });

  it('calls midnight 0, and Saturday and Sunday the weekend', () => {
    expect(timeContextOf(new Date('2026-05-09T00:00:00Z'), 'UTC')).toMatchObject({
      hour: 0,
      dayOfWeek: 6,
      isWeekend: true,
    });
    expect(timeContextOf(new Date('2026-05-10T12:00:00Z'), 'UTC')).toMatchObject({ dayOfWeek: 0, isWeekend: true });
    expect(timeContextOf(new Date('2026-05-11T12:00:00Z'), 'UTC')).toMatchObject({ dayOfWeek: 1, isWeekend: false });
  });

  it('is a fresh object each time, so that no caller can change another’s', () => {
    const at = new Date('2026-05-06T10:00:00Z');
    timeContextOf(at, 'UTC').hour = 3;
    expect(timeContextOf(at, 'UTC').hour).toBe(10);
  });

  it('goes on when the hour does', () => {
    expect(timeContextOf(new Date('2026-05-06T10:59:59.999Z'), 'UTC').hour).toBe(10);
    expect(timeContextOf(new Date('2026-05-06T11:00:00Z'), 'UTC').hour).toBe(11);
  });
});

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
  });
});

it('knows time zones from other words', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires']) expect(isTimezone(zone)).toBe(true);
  for (const word of ['', 'Mars/Olympus', 'noon']) expect(isTimezone(word)).toBe(false);
});

it('knows a heartbeat by its trigger or its key', () => {
  expect(isHeartbeat({ trigger: 'heartbeat' })).toBe(true);
  expect(isHeartbeat({ sessionKey: 'agent:main:main:heartbeat' })).toBe(true);
  expect(isHeartbeat({ trigger: 'cron', sessionKey: 'agent:main:cron:daily' })).toBe(false);
  expect(isHeartbeat({})).toBe(false);
});
