import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnknownJobError } from '../protocol/errors.ts';
import { delegateStore } from '../store/delegate-store.ts';
import type { Store } from '../store/store.ts';
import { forAllAsync } from '../testkit/for-all.ts';
import { parseDeliverTarget } from './deliver-target.ts';
import { ScheduleRig } from './fixtures/schedule-rig.ts';
import type { JobDraft } from './job-draft.ts';
import type { Schedule } from './schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let rig: ScheduleRig;
beforeEach(async () => {
  rig = await ScheduleRig.create();
});
afterEach(() => rig.remove());

const draft = (changes: Partial<JobDraft> = {}): JobDraft => ({
  name: 'report',
  agentId: 'main',
  schedule: { every: '10m' },
  message: 'Write the report.',
  createdBy: 'test',
  ...changes,
});

describe('a job that is due', () => {
  it('becomes a trigger of its own session, once', async () => {
    const schedule = rig.schedule();
    await schedule.open();
    const job = await schedule.add(draft());
    rig.now += 10 * MINUTE;
    await schedule.look();
    await schedule.look();
    const [trigger, ...more] = await rig.store.select('inbox');
    expect(more).toEqual([]);
    expect(trigger).toMatchObject({
      sessionKey: `agent:main:cron:${job.id}`,
      kind: 'cron',
      dedupeKey: JSON.stringify(['cron', job.id, rig.now]),
      payload: {
        agentId: 'main',
        jobId: job.id,
        inbound: { text: 'Write the report.', at: rig.now, sender: { id: 'cron' } },
      },
      status: 'queued',
    });
    expect(trigger?.payload?.inbound.surface.channel).toBe('schedule');
    expect(rig.woken).toEqual([`agent:main:cron:${job.id}`]);
    expect(await rig.slots(job.id)).toEqual(['10:10 due']);
    expect((await schedule.find(job.id)).nextAt).toBe(rig.now + 10 * MINUTE);
  });

  it('rings by itself', async () => {
    const schedule = rig.schedule({ now: Date.now });
    await schedule.open();
    const job = await schedule.add(draft({ schedule: { at: 'in 1s' } }));
    await expect.poll(() => rig.slots(job.id)).toHaveLength(1);
  });

  it('runs in the main session and answers where it was told to', async () => {
    const deliverTo = { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'tab-1' } } as const;
    const schedule = rig.schedule();
    await schedule.open();
    await schedule.add(draft({ session: 'main', deliverTo }));
    rig.now += 10 * MINUTE;
    await schedule.look();
    const [trigger] = await rig.store.select('inbox');
    expect(trigger?.sessionKey).toBe('agent:main:main');
    expect(trigger?.payload?.inbound.surface).toEqual(deliverTo);
  });

  it('answers where its agent was last spoken to, as that is when it runs', async () => {
    const places = ['tab-1', 'tab-2'];
    const lastPlaceOf = async () => {
      const id = places.shift();
      return id === undefined
        ? null
        : ({ channel: 'web', accountId: 'default', peer: { kind: 'direct', id } } as const);
    };
    const schedule = rig.schedule({ lastPlaceOf });
    await schedule.open();
    await schedule.add(draft({ deliverTo: parseDeliverTarget('last', []) }));
    const answered: unknown[] = [];
    for (let slot = 0; slot < 3; slot++) {
      rig.now += 10 * MINUTE;
      await schedule.look();
      const inbox = await rig.store.select('inbox', { where: { status: 'queued' } });
      answered.push(inbox.map(({ payload }) => payload?.inbound.surface.peer.id));
      await rig.finishRuns();
    }
    expect(answered).toEqual([['tab-1'], ['tab-2'], [expect.stringMatching(/^job_/)]]);
  });

  it('waits behind its own run, and never piles up', async () => {
    const schedule = rig.schedule();
    await schedule.open();
    const job = await schedule.add(draft());
    for (let slot = 0; slot < 3; slot++) {
      rig.now += 10 * MINUTE;
      await schedule.look();
      const claimed = { update: 'inbox', where: { status: 'queued' }, set: { status: 'claimed' } } as const;
      if (slot === 0) await rig.store.commit([claimed], { site: 'claim' });
    }
    expect(await rig.slots(job.id)).toEqual(['10:10 due', '10:20 due', '10:30 skipped']);
    expect(await rig.store.count('inbox')).toBe(2);
  });

  it('rests after its only time, or is gone when that was wanted', async () => {
    const schedule = rig.schedule();
    await schedule.open();
    const kept = await schedule.add(draft({ schedule: { at: 'in 5m' } }));
    const removed = await schedule.add(draft({ schedule: { at: 'in 5m' }, removeAfterRun: true }));
    rig.now += 5 * MINUTE;
    await schedule.look();
    expect(await schedule.find(kept.id)).toMatchObject({ enabled: false, nextAt: null });
    await expect(schedule.find(removed.id)).rejects.toBeInstanceOf(UnknownJobError);
    expect(await schedule.history(removed.id, 10)).toMatchObject([{ how: 'due', status: 'queued', delivery: 'none' }]);
    await expect(schedule.edit(kept.id, { enabled: true })).rejects.toThrow('give it another one');
    expect(await schedule.edit(kept.id, { schedule: { at: 'in 1h' } })).toMatchObject({ enabled: true });
  });

  it('is skipped when its agent is gone', async () => {
    const known = new Set(['main']);
    const schedule = rig.schedule({ knowsAgent: (agentId) => known.has(agentId) });
    await schedule.open();
    const job = await schedule.add(draft());
    known.clear();
    rig.now += 10 * MINUTE;
    await schedule.look();
    expect(await rig.slots(job.id)).toEqual(['10:10 skipped']);
    expect(rig.warnings.join()).toContain('no agent main');
  });

  it('stays quiet where schedules are switched off', async () => {
    const schedule = rig.schedule({ isEnabled: false });
    await schedule.open();
    const job = await schedule.add(draft());
    rig.now += HOUR;
    await schedule.look();
    expect(await rig.slots(job.id)).toEqual([]);
    expect(await schedule.status()).toMatchObject({ isEnabled: false, jobs: 1, next: { id: job.id } });
  });
});

describe('slots that passed while the gateway was down', () => {
  it('are made up for by one run', async () => {
    const job = await rig.schedule().add(draft());
    rig.now += 35 * MINUTE;
    await rig.schedule().open();
    expect(await rig.slots(job.id)).toEqual(['10:10 skipped', '10:20 skipped', '10:30 caught-up']);
    expect(await rig.store.count('inbox')).toBe(1);
  });

  it('are skipped when the job says so', async () => {
    const job = await rig.schedule().add(draft({ missed: 'skip' }));
    rig.now += 35 * MINUTE;
    await rig.schedule().open();
    expect(await rig.slots(job.id)).toEqual(['10:10 skipped', '10:20 skipped', '10:30 skipped']);
    expect(await rig.store.count('inbox')).toBe(0);
  });

  it('are skipped when the operator says so, also for jobs from before that', async () => {
    const job = await rig.schedule().add(draft());
    const willing = await rig.schedule().add(draft({ missed: 'catch-up' }));
    rig.now += 15 * MINUTE;
    await rig.schedule({ missed: 'skip' }).open();
    expect(await rig.slots(job.id)).toEqual(['10:10 skipped']);
    expect(await rig.slots(willing.id)).toEqual(['10:10 caught-up']);
  });

  it('count as in time when the gateway was away for a moment only', async () => {
    const job = await rig.schedule().add(draft({ missed: 'skip' }));
    rig.now += 10 * MINUTE + 20_000;
    await rig.schedule().open();
    expect(await rig.slots(job.id)).toEqual(['10:10 due']);
  });

  it('of years are no burden', async () => {
    const schedule = rig.schedule();
    const every = await schedule.add(draft({ schedule: { every: '10s' } }));
    const cron = await schedule.add(draft({ schedule: { cron: '* * * * *' } }));
    rig.now += 5 * 365 * 24 * HOUR;
    const again = rig.schedule();
    await again.open();
    for (const { id } of [every, cron]) {
      expect(await rig.slots(id)).toHaveLength(101);
      expect((await again.find(id)).nextAt).toBeGreaterThan(rig.now);
    }
    expect(await rig.store.count('inbox')).toBe(2);
  });
});

describe('a clock that jumps', () => {
  it('repeats nothing when it is set back', async () => {
    const schedule = rig.schedule();
    await schedule.open();
    const job = await schedule.add(draft({ schedule: { cron: '*/10 * * * *' } }));
    rig.now += 10 * MINUTE;
    await schedule.look();
    rig.now -= 30 * MINUTE;
    // A new schedule begins at the clock's time, so it reaches slots that were taken before.
    await schedule.edit(job.id, { schedule: { cron: '*/5 * * * *' } });
    for (let step = 0; step < 12; step++) {
      await rig.finishRuns();
      rig.now += 5 * MINUTE;
      await schedule.look();
    }
    const rows = await rig.store.select('inbox', { where: { kind: 'cron' } });
    const slots = rows.map(({ payload }) => payload?.inbound.at);
    expect(new Set(slots).size).toBe(slots.length);
    expect(slots).toHaveLength(12);
  });

  it('takes no slot that it is set back from in the middle of a look', async () => {
    const schedule = rig.schedule({
      store: delegateStore(rig.store, {
        select: async (table, query) => {
          const rows = await rig.store.select(table, query);
          if (setBack && table === 'jobs') rig.now -= 60 * MINUTE;
          setBack &&= table !== 'jobs';
          return rows;
        },
      }),
    });
    let setBack = false;
    await schedule.open();
    const job = await schedule.add(draft());
    await schedule.look();
    rig.now += 10 * MINUTE;
    setBack = true;
    await schedule.look();
    expect(await rig.slots(job.id)).toEqual([]);
    rig.now += 60 * MINUTE;
    await schedule.look();
    expect(await rig.slots(job.id)).toEqual(['10:10 due']);
  });
});

describe('changes to jobs', () => {
  it('are told, and what was changed is what is kept', async () => {
    const schedule = rig.schedule();
    await schedule.open();
    const job = await schedule.add(draft({ schedule: { cron: '0 9 * * *', tz: 'Europe/Berlin' } }));
    const edited = await schedule.edit(job.id, { name: ' daily ', message: 'Other words.' });
    expect(edited).toMatchObject({ name: 'daily', message: 'Other words.', nextAt: job.nextAt });
    expect(await schedule.edit(job.id, { schedule: { tz: 'UTC' } })).toMatchObject({
      schedule: { kind: 'cron', expr: '0 9 * * *', tz: 'UTC' },
    });
    expect(await schedule.edit(job.id, { enabled: false })).toMatchObject({ enabled: false });
    await schedule.remove(job.id);
    await expect(schedule.remove(job.id)).rejects.toBeInstanceOf(UnknownJobError);
    expect(rig.changes.map(({ action }) => action)).toEqual(['added', 'updated', 'updated', 'updated', 'removed']);
  });

  it.each([
    [{ name: ' ' }, 'no name'],
    [{ name: 'x'.repeat(101) }, 'longer than 100'],
    [{ name: 'a\u001b[31mb' }, 'control characters'],
    [{ message: '' }, 'no message'],
    [{ message: 'x'.repeat(20_001) }, 'longer than 20,000'],
    [{ agentId: 'unknown' }, 'no agent'],
    [{ schedule: { every: '1s' } }, 'shortest'],
    [
      { session: 'main', deliverTo: { channel: 'test', accountId: 'default', peer: { kind: 'group', id: 'g' } } },
      'cannot answer in a group',
    ],
  ] as const)('are refused when they make no sense: %j', async (changes, problem) => {
    await expect(rig.schedule().add(draft(changes as Partial<JobDraft>))).rejects.toThrow(problem);
    expect(await rig.store.count('jobs')).toBe(0);
  });

  it('run a job by hand besides its times, also twice in a moment', async () => {
    const schedule = rig.schedule();
    await schedule.open();
    const job = await schedule.add(draft());
    const first = await schedule.run(job.id);
    expect(await schedule.run(job.id)).toEqual({ runId: first.runId, isNew: false });
    await rig.finishRuns();
    expect((await schedule.run(job.id)).isNew).toBe(true);
    expect(await rig.slots(job.id)).toEqual(['10:00 by-hand', '10:00 by-hand']);
    expect((await schedule.find(job.id)).nextAt).toBe(job.nextAt);
  });
});

describe('two processes on one store', () => {
  it('run a job by hand once when both are asked at the same moment', async () => {
    const schedules = [rig.schedule(), rig.schedule({ store: await rig.otherStore() })];
    const { id } = await (schedules[0] as Schedule).add(draft());
    const started = await Promise.all(schedules.map((schedule) => schedule.run(id)));
    expect(started.map(({ isNew }) => isNew).sort()).toEqual([false, true]);
    expect(new Set(started.map(({ runId }) => runId)).size).toBe(1);
    expect(await rig.store.count('inbox')).toBe(1);
  });

  it('take every slot once between them', async () => {
    const other = await rig.otherStore();
    const schedules = [rig.schedule(), rig.schedule({ store: other })];
    await Promise.all(schedules.map((schedule) => schedule.open()));
    const [one] = schedules;
    const jobs = await Promise.all([1, 2, 3, 4].map((n) => one?.add(draft({ name: `job ${n}` }))));
    for (let step = 0; step < 6; step++) {
      rig.now += 10 * MINUTE;
      await Promise.all(schedules.map((schedule) => schedule.look()));
      await rig.finishRuns();
    }
    for (const job of jobs) {
      const slots = await rig.slots(job?.id ?? '');
      expect(slots.map((slot) => slot.slice(6))).toEqual(['due', 'due', 'due', 'due', 'due', 'due']);
    }
    expect(await rig.store.count('inbox')).toBe(24);
    expect(rig.warnings).toEqual([]);
  });
});

describe('a process that dies while it takes a slot', () => {
  it.each(['before', 'after'] as const)('%s the commit leaves one run of it', async (moment) => {
    const dying = delegateStore(rig.store, {
      commit: async (writes, options) => {
        if (options.site !== 'job-slot') return rig.store.commit(writes, options);
        if (moment === 'after') await rig.store.commit(writes, options);
        throw new Error('killed');
      },
    });
    const first = rig.schedule({ store: dying });
    await first.open();
    const job = await first.add(draft());
    rig.now += 10 * MINUTE;
    await first.look();
    await first.close();
    await rig.schedule().open();
    expect(await rig.slots(job.id)).toEqual(['10:10 due']);
    expect(await rig.store.count('inbox')).toBe(1);
  });
});

it('for any clock and any processes: no slot runs twice, none is lost without a record', async () => {
  const step = fc.record({
    minutes: fc.integer({ min: -20, max: 45 }),
    who: fc.constantFrom<'one' | 'two' | 'both'>('one', 'two', 'both'),
    finishes: fc.boolean(),
    restarts: fc.boolean(),
  });
  const job = fc.constantFrom(
    { every: '7m' },
    { cron: '*/10 * * * *' },
    { cron: '0,5,7 * * * *', tz: 'Asia/Kolkata' },
    { at: 'in 30m' },
  );
  const other: Store = await rig.otherStore();
  await forAllAsync(
    [job, fc.constantFrom<'catch-up' | 'skip'>('catch-up', 'skip'), fc.array(step, { maxLength: 12 })],
    15,
    async (written, missed, steps) => {
      const stores = [rig.store, other];
      let schedules = stores.map((store) => rig.schedule({ store }));
      await Promise.all(schedules.map((schedule) => schedule.open()));
      const { id, nextAt: first } = (await schedules[0]?.add(draft({ schedule: written, missed }))) ?? {
        id: '',
        nextAt: 0,
      };
      let latest = rig.now;
      for (const { minutes, who, finishes, restarts } of steps) {
        rig.now += minutes * MINUTE;
        if (restarts) {
          for (const schedule of schedules) await schedule.close();
          schedules = stores.map((store) => rig.schedule({ store }));
          await Promise.all(schedules.map((schedule) => schedule.open()));
        } else {
          const chosen = who === 'both' ? schedules : [schedules[who === 'one' ? 0 : 1]];
          await Promise.all(chosen.map((schedule) => schedule?.look()));
        }
        latest = Math.max(latest, rig.now);
        if (finishes) await rig.finishRuns();
      }
      for (const schedule of schedules) await schedule.close();
      const rows = await rig.store.select('jobSlots', { where: { jobId: id }, orderBy: [['slot', 'asc']] });
      const triggers = await rig.store.select('inbox', { where: { sessionKey: `agent:main:cron:${id}` } });
      const runs = rows.flatMap(({ runId }) => (runId === null ? [] : [runId]));
      expect(triggers.map(({ runId }) => runId).sort()).toEqual([...runs].sort());
      expect(rows.map(({ slot }) => slot)).toEqual(await slotsBetween(written, first ?? 0, latest));
      await rig.store.commit([{ remove: 'jobs', where: { id } }], { site: 'job' });
    },
  );

  async function slotsBetween(written: JobDraft['schedule'], first: number, upTo: number): Promise<readonly number[]> {
    const { nextSlot, parseSchedule } = await import('./job-schedule.ts');
    const schedule = written.cron
      ? await parseSchedule(written, { now: first, timezone: 'UTC' })
      : written.every
        ? ({ kind: 'every', everyMs: 7 * MINUTE, anchorMs: first } as const)
        : ({ kind: 'at', at: first } as const);
    const found: number[] = [];
    for (let slot = await nextSlot(schedule, first - 1); slot !== null && slot <= upTo; ) {
      found.push(slot);
      slot = await nextSlot(schedule, slot);
    }
    return found;
  }
});
