// Takes the due slots of a job, as the writes of one commit: its trigger is put into the inbox, the slots are recorded,
// and the job waits for the next one. Because of the preconditions only one of two simultaneous attempts succeeds.

import type { Inbound, RunWishes, Surface } from '../protocol/inbound.ts';
import type { Write } from '../store/store.ts';
import type { JobRow, JobSlotRow } from '../store/tables.ts';
import { type JobSchedule, lastSlot, nextSlot } from './job-schedule.ts';

export interface DueSlots {
  /** The latest slot that is due. Only this one may be run. */
  readonly latest: number;
  /** The slots before it that passed while the gateway was down, oldest first. */
  readonly passed: readonly number[];
  readonly next: number | null;
  /** True when the slot was long ago, because the gateway was down or the machine was asleep. */
  readonly isLate: boolean;
}

/** A gateway that was restarted within this time has not missed a slot. */
const ON_TIME_MS = 60_000;
/** After a long absence only the earliest slots are recorded one by one. */
const MAX_PASSED = 100;

export async function dueSlots(schedule: JobSchedule, due: number, now: number): Promise<DueSlots> {
  const latest = await lastSlot(schedule, due, now);
  const passed: number[] = [];
  for (let slot: number | null = due; slot !== null && slot < latest && passed.length < MAX_PASSED; ) {
    passed.push(slot);
    slot = await nextSlot(schedule, slot);
  }
  return { latest, passed, next: await nextSlot(schedule, latest), isLate: now - latest > ON_TIME_MS };
}

export interface SlotRun {
  readonly runId: string;
  readonly sessionKey: string;
  /** Where the answer goes. */
  readonly surface: Surface;
}

/** Moves the job on: to its next slot, to rest, or to its removal. */
export function planNext(job: JobRow, next: number | null): Write {
  const where = { id: job.id, nextAt: job.nextAt, updatedAt: job.updatedAt };
  if (next === null && job.removeAfterRun) return { remove: 'jobs', where, expect: 1 };
  return {
    update: 'jobs',
    where,
    set: next === null ? { nextAt: null, enabled: false } : { nextAt: next },
    expect: 1,
  };
}

export function planPassed(jobId: string, passed: readonly number[], at: number): readonly Write[] {
  return passed.map((slot) => ({
    insert: 'jobSlots',
    row: { jobId, slot, at, how: 'skipped', runId: null },
    onConflict: 'ignore',
  }));
}

/** Without a run the slot is only recorded. */
export function planSlot(
  job: JobRow,
  { slot, how, at }: Pick<JobSlotRow, 'slot' | 'how' | 'at'>,
  run: SlotRun | undefined,
): readonly Write[] {
  const kept: Write = { insert: 'jobSlots', row: { jobId: job.id, slot, at, how, runId: run?.runId ?? null } };
  if (!run) return [kept];
  const { runId, sessionKey, surface } = run;
  const wishes: RunWishes = {
    ...(job.model !== null && { model: job.model }),
    ...(job.fallbacks !== null && { fallbacks: job.fallbacks }),
    ...(job.timeoutSeconds !== null && { timeoutMs: job.timeoutSeconds * 1_000 }),
  };
  const inbound: Inbound = {
    surface,
    sender: { id: 'cron', name: job.name },
    text: job.message,
    at: slot,
    sessionKey,
    ...(Object.keys(wishes).length > 0 && { wishes }),
  };
  return [
    kept,
    {
      insert: 'inbox',
      row: {
        runId,
        sessionKey,
        kind: 'cron',
        dedupeKey: JSON.stringify(['cron', job.id, slot]),
        fingerprint: null,
        payload: { inbound, agentId: job.agentId, jobId: job.id },
        acceptedAt: at,
        status: 'queued',
      },
    },
  ];
}
