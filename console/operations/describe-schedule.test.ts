import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../src/schedule/job-schedule.ts';
import { describeSchedule, writeSchedule } from './describe-schedule.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');

describe('a schedule in words', () => {
  it.each([
    [{ every: '90m' }, 'every 1h30m'],
    [{ every: '1d' }, 'every 1d'],
    [{ cron: '0 8 * * 1-5', tz: 'Europe/Berlin' }, '0 8 * * 1-5 (Europe/Berlin)'],
  ])('of %o', async (written, words) => {
    expect(describeSchedule({ ...(await parseSchedule(written, { now: NOW, timezone: 'UTC' })) })).toBe(words);
  });

  it.each([
    { every: '90m' },
    { at: '2026-12-24T18:00' },
    { cron: '*/5 * * * *', tz: 'Asia/Tokyo' },
  ])('can be sent back as it was: %o', async (written) => {
    const schedule = await parseSchedule(written, { now: NOW, timezone: 'UTC' });
    const { kind, text, tz } = writeSchedule({ ...schedule });
    expect(await parseSchedule({ [kind]: text, tz }, { now: NOW, timezone: 'UTC' })).toEqual(schedule);
  });
});
