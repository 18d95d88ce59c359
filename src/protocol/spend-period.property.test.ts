import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendarPeriodOf } from './spend-period.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Auckland',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Cairo',
];
const moment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) });
const per = fc.constantFrom('day' as const, 'month' as const);

describe('the period of a moment', () => {
  it('holds it, has no gap to the next one, and keeps its name to the end', () => {
    fc.assert(
      fc.property(moment, per, fc.constantFrom(...ZONES), (at, kind, timezone) => {
        const { since, until = 0, period } = calendarPeriodOf(kind, at, timezone);
        expect(since).toBeLessThanOrEqual(at);
        expect(until).toBeGreaterThan(at);
        expect(calendarPeriodOf(kind, since, timezone).period).toBe(period);
        expect(calendarPeriodOf(kind, until - 1, timezone)).toEqual({ per: kind, period, since, until });
        const next = calendarPeriodOf(kind, until, timezone);
        expect(next.since).toBe(until);
        expect(next.period > period).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [
      'the last second of a day',
      'day',
      '2026-05-01T21:59:59Z',
      'Europe/Berlin',
      '2026-05-01',
      '2026-04-30T22:00:00Z',
      '2026-05-01T22:00:00Z',
    ],
    [
      'the first second of a day',
      'day',
      '2026-05-01T22:00:00Z',
      'Europe/Berlin',
      '2026-05-02',
      '2026-05-01T22:00:00Z',
      '2026-05-02T22:00:00Z',
    ],
    [
      'a day of 23 hours',
      'day',
      '2026-03-29T12:00:00Z',
      'Europe/Berlin',
      '2026-03-29',
      '2026-03-28T23:00:00Z',
      '2026-03-29T22:00:00Z',
    ],
    [
      'a day of 25 hours',
      'day',
      '2026-10-25T12:00:00Z',
      'Europe/Berlin',
      '2026-10-25',
      '2026-10-24T22:00:00Z',
      '2026-10-25T23:00:00Z',
    ],
    [
      'the last hour of a month elsewhere',
      'month',
      '2026-05-01T03:30:00Z',
      'America/New_York',
      '2026-04',
      '2026-04-01T04:00:00Z',
      '2026-05-01T04:00:00Z',
    ],
    [
      'a month in which the clocks change',
      'month',
      '2026-10-31T12:00:00Z',
      'Europe/Berlin',
      '2026-10',
      '2026-09-30T22:00:00Z',
      '2026-10-31T23:00:00Z',
    ],
    [
      'the turn of a year',
      'month',
      '2026-12-31T10:30:00Z',
      'Pacific/Auckland',
      '2026-12',
      '2026-11-30T11:00:00Z',
      '2026-12-31T11:00:00Z',
    ],
  ] as const)('is right for %s', (_, kind, at, timezone, period, since, until) => {
    const found = calendarPeriodOf(kind, Date.parse(at), timezone);
    expect(found).toEqual({ per: kind, period, since: Date.parse(since), until: Date.parse(until) });
  });
});
