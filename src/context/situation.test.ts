import { describe, expect, it } from 'vitest';
import { isTimezone } from '../protocol/timezone.ts';
import { isHeartbeat, timeContextOf } from './situation.ts';

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
