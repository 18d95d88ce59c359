import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../testkit/for-all.ts';
import { lastDailyBoundary } from './last-daily-boundary.ts';

const at = (text: string) => Date.parse(text);
const iso = (moment: number) => new Date(moment).toISOString();
const HOUR = 3_600_000;

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Pacific/Apia',
  'America/St_Johns',
];
const zone = fc.constantFrom(...ZONES);
const hour = fc.integer({ min: 0, max: 23 });
const moment = fc.integer({ min: at('2005-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') });

describe('lastDailyBoundary', () => {
  it('is today’s hour once it has struck, and yesterday’s before', () => {
    expect(iso(lastDailyBoundary(at('2026-05-06T10:00:00Z'), 4, 'UTC'))).toBe('2026-05-06T04:00:00.000Z');
    expect(iso(lastDailyBoundary(at('2026-05-06T03:59:59.999Z'), 4, 'UTC'))).toBe('2026-05-05T04:00:00.000Z');
    expect(iso(lastDailyBoundary(at('2026-05-06T04:00:00Z'), 4, 'UTC'))).toBe('2026-05-06T04:00:00.000Z');
  });

  it('goes by the clocks of the zone', () => {
    expect(iso(lastDailyBoundary(at('2026-05-06T10:00:00Z'), 4, 'America/New_York'))).toBe('2026-05-06T08:00:00.000Z');
    expect(iso(lastDailyBoundary(at('2026-01-06T10:00:00Z'), 4, 'America/New_York'))).toBe('2026-01-06T09:00:00.000Z');
    expect(iso(lastDailyBoundary(at('2026-05-06T10:00:00Z'), 4, 'Asia/Kathmandu'))).toBe('2026-05-05T22:15:00.000Z');
  });

  it('strikes a skipped hour when the clocks jump over it', () => {
    // In Berlin 2026-03-29 02:00 does not exist: the clocks go from 01:59:59 to 03:00.
    expect(iso(lastDailyBoundary(at('2026-03-29T00:59:59Z'), 2, 'Europe/Berlin'))).toBe('2026-03-28T01:00:00.000Z');
    expect(iso(lastDailyBoundary(at('2026-03-29T01:00:00Z'), 2, 'Europe/Berlin'))).toBe('2026-03-29T01:00:00.000Z');
  });

  it('strikes an hour that comes twice only once', () => {
    // In Berlin 2026-10-25 02:00 comes at 00:00 and at 01:00 UTC.
    for (const now of [
      '2026-10-25T00:00:00Z',
      '2026-10-25T00:59:59Z',
      '2026-10-25T01:30:00Z',
      '2026-10-25T12:00:00Z',
    ]) {
      expect(iso(lastDailyBoundary(at(now), 2, 'Europe/Berlin'))).toBe('2026-10-25T00:00:00.000Z');
    }
  });

  it('survives a day that was left out', () => {
    // Samoa had no 30 December 2011.
    expect(iso(lastDailyBoundary(at('2011-12-30T11:00:00Z'), 4, 'Pacific/Apia'))).toBe('2011-12-29T14:00:00.000Z');
  });

  it('is never in the future, never far in the past, and never goes back', () => {
    forAll([zone, hour, moment, fc.integer({ min: 0, max: 50 * HOUR })], 300, (timezone, atHour, now, later) => {
      const boundary = lastDailyBoundary(now, atHour, timezone);
      expect(boundary).toBeLessThanOrEqual(now);
      expect(now - boundary).toBeLessThanOrEqual(26 * HOUR);
      expect(lastDailyBoundary(now + later, atHour, timezone)).toBeGreaterThanOrEqual(boundary);
      expect(lastDailyBoundary(boundary, atHour, timezone)).toBe(boundary);
      expect(lastDailyBoundary(boundary - 1, atHour, timezone)).toBeLessThan(boundary);
    });
  });
});
