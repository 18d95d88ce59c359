import { describe, expect, it } from 'vitest';
import { InvalidScheduleError } from './errors.ts';
import { formatSchedule, type JobSchedule, lastSlot, nextSlot, parseSchedule } from './job-schedule.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const context = { now, timezone: 'Europe/Berlin' };
const time = (text: string) => Date.parse(text);

async function slots(schedule: JobSchedule, after: string, count: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let slot = await nextSlot(schedule, time(after)); slot !== null && found.length < count; ) {
    found.push(new Date(slot).toISOString().replace(':00.000Z', 'Z'));
    slot = await nextSlot(schedule, slot);
  }
  return found;
}

const cron = (expr: string, tz: string): JobSchedule => ({ kind: 'cron', expr, tz });

describe('a schedule that a person wrote', () => {
  it.each([
    [{ at: 'in 20m' }, { kind: 'at', at: now + 20 * 60_000 }],
    [{ at: '90s' }, { kind: 'at', at: now + 90_000 }],
    [{ at: '2026-05-06T09:00' }, { kind: 'at', at: time('2026-05-06T07:00:00Z') }],
    [
      { at: '2026-05-06 09:00:30', tz: 'America/New_York' },
      { kind: 'at', at: time('2026-05-06T13:00:30Z') },
    ],
    [{ at: '2026-05-06T09:00Z' }, { kind: 'at', at: time('2026-05-06T09:00:00Z') }],
    [{ at: '2026-05-06T09:00+0530' }, { kind: 'at', at: time('2026-05-06T03:30:00Z') }],
    [{ at: '2026-05-06' }, { kind: 'at', at: time('2026-05-05T22:00:00Z') }],
    // The clock skips the first time and shows the second time twice.
    [{ at: '2026-03-29T02:30' }, { kind: 'at', at: time('2026-03-29T01:30:00Z') }],
    [{ at: '2026-10-25T02:30' }, { kind: 'at', at: time('2026-10-25T00:30:00Z') }],
    [{ every: '1h30m' }, { kind: 'every', everyMs: 5_400_000, anchorMs: now + 5_400_000 }],
    [{ every: '10s' }, { kind: 'every', everyMs: 10_000, anchorMs: now + 10_000 }],
    [{ cron: '  0  9 * * 1-5 ' }, { kind: 'cron', expr: '0 9 * * 1-5', tz: 'Europe/Berlin' }],
    [
      { cron: '30 0 9 * * MON', tz: 'UTC' },
      { kind: 'cron', expr: '30 0 9 * * MON', tz: 'UTC' },
    ],
  ] as const)('%j is read', async (written, schedule) => {
    expect(await parseSchedule(written, context)).toEqual(schedule);
  });

  it.each([
    [{}, 'exactly one'],
    [{ at: 'in 1h', every: '1h' }, 'exactly one'],
    [{ at: 'tomorrow' }, 'no time'],
    [{ at: '2026-02-30T10:00' }, 'no time'],
    [{ at: '2026-05-06T24:30' }, 'no time'],
    [{ at: '2025-05-06T09:00' }, 'over already'],
    [{ at: 'in 99999999d' }, 'too far'],
    [{ at: `in ${'9'.repeat(38)}d` }, 'too far'],
    [{ at: '2026-05-06T09:00', tz: 'Mars/Olympus' }, 'no time zone'],
    [{ every: '30' }, 'no span'],
    [{ every: 'often' }, 'no span'],
    [{ every: '9s' }, 'shortest'],
    [{ every: '400d' }, 'longest'],
    [{ every: '1'.repeat(150) }, 'no span'],
    [{ cron: '* * *' }, 'cron fields are'],
    [{ cron: '0 9 * * 1-5 2030 7' }, 'cron fields are'],
    [{ cron: '2026-05-06T09:00:00' }, 'cron fields are'],
    [{ cron: '61 * * * *' }, 'minute'],
    [{ cron: '0 0 30 2 *' }, 'no day fits'],
    [{ cron: '* * * * * *' }, 'more often'],
    [{ cron: '0-5 0 9 * * *' }, 'more often'],
    [{ cron: 'x'.repeat(300) }, 'too long'],
  ])('%j is refused', async (written, problem) => {
    const refused = parseSchedule(written, context);
    await expect(refused).rejects.toBeInstanceOf(InvalidScheduleError);
    await expect(refused).rejects.toThrow(problem);
  });

  it('is told in words that can be written again', async () => {
    expect(formatSchedule({ kind: 'every', everyMs: 5_400_000, anchorMs: 0 })).toBe('every 1h30m');
    expect(formatSchedule(cron('0 9 * * *', 'UTC'))).toBe('cron 0 9 * * * (UTC)');
    expect(formatSchedule({ kind: 'at', at: now })).toBe('at 2026-01-01T00:00:00.000Z');
  });
});

describe('the slots of a schedule', () => {
  it('of a time are that time, once', async () => {
    expect(await nextSlot({ kind: 'at', at: now }, now - 1)).toBe(now);
    expect(await nextSlot({ kind: 'at', at: now }, now)).toBeNull();
  });

  it('of a pace keep to their anchor', async () => {
    const every: JobSchedule = { kind: 'every', everyMs: 60_000, anchorMs: now + 7 };
    expect(await nextSlot(every, now - 1e9)).toBe(now + 7);
    expect(await nextSlot(every, now + 7)).toBe(now + 60_007);
    expect(await nextSlot(every, now + 3_599_999)).toBe(now + 3_600_007);
  });

  it('come once when the clock goes forward over them', async () => {
    expect(await slots(cron('30 2 * * *', 'Europe/Berlin'), '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ]);
    expect(await slots(cron('30 2 * * *', 'America/New_York'), '2026-03-07T12:00:00Z', 2)).toEqual([
      '2026-03-08T07:00Z',
      '2026-03-09T06:30Z',
    ]);
  });

  it('come once when the clock shows them twice', async () => {
    expect(await slots(cron('30 2 * * *', 'Europe/Berlin'), '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
    expect(await slots(cron('30 1 * * *', 'America/New_York'), '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T05:30Z',
      '2026-11-02T06:30Z',
    ]);
  });

  it('of every half hour keep their real pace through both', async () => {
    for (const start of ['2026-03-28T23:40:00Z', '2026-10-24T23:40:00Z']) {
      const found = (await slots(cron('*/30 * * * *', 'Europe/Berlin'), start, 8)).map((each) => Date.parse(each));
      expect(found.slice(1).every((slot, index) => slot - (found[index] ?? 0) === 1_800_000)).toBe(true);
    }
  });

  it('know leap days and the ends of months', async () => {
    expect(await slots(cron('0 9 29 2 *', 'UTC'), '2026-01-01T00:00:00Z', 2)).toEqual([
      '2028-02-29T09:00Z',
      '2032-02-29T09:00Z',
    ]);
    expect(await slots(cron('0 9 31 * *', 'UTC'), '2026-03-01T00:00:00Z', 3)).toEqual([
      '2026-03-31T09:00Z',
      '2026-05-31T09:00Z',
      '2026-07-31T09:00Z',
    ]);
    expect(await slots(cron('0 9 L * *', 'UTC'), '2026-01-01T00:00:00Z', 2)).toEqual([
      '2026-01-31T09:00Z',
      '2026-02-28T09:00Z',
    ]);
  });

  it.each([
    [cron('*/5 * * * *', 'Europe/Berlin'), '2026-01-01T00:05:00Z', '2026-10-25T01:03:00Z', '2026-10-25T01:00:00Z'],
    [cron('0 9 29 2 *', 'UTC'), '2028-02-29T09:00:00Z', '2031-01-01T00:00:00Z', '2028-02-29T09:00:00Z'],
    [cron('0 9 * * *', 'UTC'), '2026-01-01T09:00:00Z', '2026-01-05T09:00:00Z', '2026-01-05T09:00:00Z'],
    [
      { kind: 'every', everyMs: 60_000, anchorMs: now } as const,
      '2026-01-01T00:00:00Z',
      '2027-01-01T00:00:59Z',
      '2027-01-01T00:00:00Z',
    ],
  ])('have a last one up to a time (%#)', async (schedule, known, upTo, last) => {
    expect(new Date(await lastSlot(schedule, time(known), time(upTo)))).toEqual(new Date(last));
  });
});
