// The jobs of a gateway, and the one timer that waits for the earliest of them. A slot that is due becomes a row in the
// inbox and nothing else; who runs it, and where its answer goes, is decided as for every other trigger.
//
// Errors: `add`, `edit`, `remove` and `run` reject with InvalidJobError, InvalidScheduleError or UnknownJobError, and
// with the errors of the store. A slot that cannot be taken causes a warning and is tried again.
// Rules: a slot is taken once, with any number of processes and any change of the clock. A job has at most one waiting
// trigger; a slot that becomes due in the meantime is recorded as skipped. Slots that passed while the gateway was down
// are made up for by one run, or skipped, as the job says.
// When it fires: after `open`, when a slot is due. After `close` nothing more is taken.

import { buildCronSessionKey } from '../protocol/build-session-key.ts';
import { isAtriumError, UnknownJobError } from '../protocol/errors.ts';
import type { Surface } from '../protocol/inbound.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Say } from '../protocol/log.ts';
import { newId } from '../protocol/new-id.ts';
import { errorText } from '../protocol/one-line.ts';
import { PreconditionFailedError } from '../store/errors.ts';
import type { Store, Write } from '../store/store.ts';
import type { JobRow, JobSlotRow } from '../store/tables.ts';
import { Alarm } from './alarm.ts';
import { isLastSurface, silentSurface } from './deliver-target.ts';
import { InvalidJobError } from './errors.ts';
import { checkJob, type JobDraft, type JobEdit, MAX_JOBS } from './job-draft.ts';
import { type JobHistoryEntry, readJobHistory } from './job-history.ts';
import { type JobSchedule, nextSlot, parseSchedule, readSchedule } from './job-schedule.ts';
import { dueSlots, planNext, planPassed, planSlot, type SlotRun } from './plan-slot.ts';

export interface ScheduleOptions {
  readonly store: Store;
  readonly now: () => number;
  /** For jobs that name no zone. */
  readonly timezone: string;
  /** False means that jobs are kept, but none becomes due by itself. */
  readonly isEnabled: boolean;
  /** For jobs that do not say what happens to missed slots. */
  readonly missed: NonNullable<JobRow['missed']>;
  readonly mainSessionKeyOf: (agentId: string) => string;
  readonly knowsAgent: (agentId: string) => boolean;
  /** Rejects with an AtriumError when the agent cannot be given the model of this name. */
  readonly checkModel: (name: string, agentId: string) => Promise<void>;
  /** Where the agent was last spoken to in private, for jobs that answer there; null when it never was. */
  readonly lastPlaceOf: (agentId: string) => Promise<Surface | null>;
  /** Called when a trigger was committed for this key. */
  readonly wakeLane: (sessionKey: string) => void;
  /** Called when a job was changed or one of its slots became a run. It never throws. */
  readonly tell?: ((change: JobChange) => void) | undefined;
  readonly warn: Say;
}

export type JobChange =
  /** `scheduled` means that a slot was taken and that the job waits for its next one. */
  | { readonly action: 'added' | 'updated' | 'removed' | 'scheduled'; readonly job: JobRow }
  | { readonly action: 'queued'; readonly job: JobRow; readonly runId: string };

export interface ScheduleStatus {
  readonly isEnabled: boolean;
  readonly jobs: number;
  readonly next: { readonly id: string; readonly name: string; readonly at: number } | null;
}

export interface StartedJob {
  readonly runId: string;
  /** False when the job was already waiting for its turn. */
  readonly isNew: boolean;
}

/** How long to wait before a slot that could not be taken is tried again. */
const TRY_AGAIN_MS = 15_000;
/**
 * The number of looks in a row before other work gets a turn, so that a caller that changes jobs all the time does not
 * block the rest.
 */
const MAX_ROUNDS = 10;
/** How long the outcome of a slot is kept. */
const KEPT_MS = 90 * 86_400_000;
const DAY_MS = 86_400_000;

export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #alarm: Alarm;
  #isOpen = false;
  #prunedAt = 0;
  /** The look that is active, and the look after it, for callers that ask in the meantime. */
  #looking: Promise<void> | undefined;
  #nextLook: Promise<void> | undefined;
  /** True when a job changed during the look that is active. */
  #lookAgain = false;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.now, () => void this.look());
  }

  /** Takes the slots that are due, and waits for the rest. */
  async open(): Promise<void> {
    if (!this.#options.isEnabled) return;
    this.#isOpen = true;
    await this.look();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#alarm.clear();
    await this.#looking;
  }

  /** Takes every slot that is due now. Never rejects. */
  async look(): Promise<void> {
    if (!this.#isOpen) return;
    if (this.#looking) {
      this.#nextLook ??= this.#looking.then(() => {
        this.#nextLook = undefined;
        return this.look();
      });
      return this.#nextLook;
    }
    this.#looking = this.#lookUntilDone().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  list(agentId?: string): Promise<readonly JobRow[]> {
    return listJobs(this.#options.store, agentId);
  }

  find(id: string): Promise<JobRow> {
    return findJob(this.#options.store, id);
  }

  async add(draft: JobDraft): Promise<JobRow> {
    const { store, now, timezone, knowsAgent } = this.#options;
    const at = now();
    if (!knowsAgent(draft.agentId))
      throw new InvalidJobError({ problem: `there is no agent ${JSON.stringify(draft.agentId)}` });
    const schedule = await parseSchedule(draft.schedule, { now: at, timezone });
    const job: JobRow = {
      id: newId('job', at),
      name: draft.name.trim(),
      agentId: draft.agentId,
      enabled: draft.enabled ?? true,
      schedule: schedule as unknown as JsonObject,
      message: draft.message,
      session: draft.session ?? 'own',
      deliverTo: draft.deliverTo ?? null,
      model: draft.model ?? null,
      fallbacks: draft.fallbacks ?? null,
      timeoutSeconds: draft.timeoutSeconds ?? null,
      missed: draft.missed ?? null,
      removeAfterRun: draft.removeAfterRun ?? false,
      createdAt: at,
      updatedAt: at,
      createdBy: draft.createdBy.slice(0, 512),
      nextAt: await nextSlot(schedule, at),
    };
    checkJob(job);
    await this.#checkModels(job, job);
    if ((await store.count('jobs')) >= MAX_JOBS) {
      throw new InvalidJobError({ problem: `there are ${MAX_JOBS} jobs already, which is the most` });
    }
    await store.commit([{ insert: 'jobs', row: job }], { site: 'job' });
    this.#told({ action: 'added', job });
    void this.look();
    return job;
  }

  async edit(id: string, edit: JobEdit): Promise<JobRow> {
    const { store, now } = this.#options;
    const job = await this.find(id);
    const at = now();
    const { schedule: written, ...rest } = edit;
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    const schedule = await this.#editedSchedule(job, written);
    // A job rests when its only time has passed. A new time ends that rest.
    const enabled = edit.enabled ?? (job.enabled || (written !== undefined && job.nextAt === null));
    const changed: JobRow = { ...job, ...given, enabled, schedule: schedule as unknown as JsonObject };
    const isResumed = changed.enabled && !job.enabled;
    const edited: JobRow = {
      ...changed,
      name: changed.name.trim(),
      // The value always rises, so that code which has read the old row can no longer take one of its slots.
      updatedAt: Math.max(at, job.updatedAt + 1),
      // Slots that passed while the job rested were not missed.
      nextAt: written || isResumed ? await nextSlot(schedule, at) : job.nextAt,
    };
    checkJob(edited);
    await this.#checkModels(edited, edit);
    if (edited.enabled && edited.nextAt === null) {
      throw new InvalidJobError({ problem: 'its only time is over; give it another one' });
    }
    const { id: _, ...set } = edited;
    await store.commit([{ update: 'jobs', where: { id, updatedAt: job.updatedAt }, set, expect: 1 }], { site: 'job' });
    this.#told({ action: 'updated', job: edited });
    void this.look();
    return edited;
  }

  /** Returns the removed job. A run of it that has begun or waits is not stopped. */
  async remove(id: string): Promise<JobRow> {
    const job = await this.find(id);
    const { changed } = await this.#options.store.commit([{ remove: 'jobs', where: { id } }], { site: 'job' });
    if (changed[0] === 0) throw new UnknownJobError({ jobId: id });
    this.#told({ action: 'removed', job });
    return job;
  }

  /** Runs the job now, in addition to its slots. */
  async run(id: string): Promise<StartedJob> {
    const { store, now, knowsAgent } = this.#options;
    const job = await this.find(id);
    if (!knowsAgent(job.agentId))
      throw new InvalidJobError({ problem: `its agent ${JSON.stringify(job.agentId)} is gone` });
    const at = now();
    let slot = at;
    while ((await store.count('jobSlots', { jobId: id, slot })) > 0) slot++;
    // This is checked last: when another process takes the slot after this, the commit fails.
    const waiting = await this.#waitingRun(id);
    if (waiting !== undefined) return { runId: waiting, isNew: false };
    const run = await this.#runOf(job, at);
    try {
      await store.commit(planSlot(job, { slot, how: 'by-hand', at }, run), { site: 'job-slot' });
    } catch (error) {
      // Another caller started the job at the same moment, and its run is the one that waits.
      const other = error instanceof PreconditionFailedError ? await this.#waitingRun(id) : undefined;
      if (other === undefined) throw error;
      return { runId: other, isNew: false };
    }
    this.#queued(job, run);
    return { runId: run.runId, isNew: true };
  }

  history(id: string, limit: number): Promise<readonly JobHistoryEntry[]> {
    return readJobHistory(this.#options.store, id, { limit });
  }

  /** Returns the job that this run belongs to, if any, also for a run that was repeated from a dead letter. */
  async jobOfRun(runId: string): Promise<string | undefined> {
    const [trigger] = await this.#options.store.select('inbox', { where: { runId }, limit: 1 });
    return trigger?.payload?.jobId;
  }

  async status(): Promise<ScheduleStatus> {
    const { store, isEnabled } = this.#options;
    const [jobs, next] = await Promise.all([store.count('jobs'), this.#earliest()]);
    return { isEnabled, jobs, next: next ? { id: next.id, name: next.name, at: next.nextAt ?? 0 } : null };
  }

  async #lookUntilDone(): Promise<void> {
    let isTroubled = false;
    for (let round = 1; ; round++) {
      this.#lookAgain = false;
      isTroubled = !(await this.#lookOnce()) || round === MAX_ROUNDS;
      if (!this.#lookAgain || isTroubled || !this.#isOpen) break;
    }
    await this.#arm(isTroubled);
  }

  /** Returns false when a slot could not be taken. */
  async #lookOnce(): Promise<boolean> {
    const { store, now } = this.#options;
    let isDone = true;
    try {
      await this.#prune();
      const due = await store.select('jobs', {
        where: { enabled: true, nextAt: { lte: now() } },
        orderBy: [['nextAt', 'asc']],
      });
      for (const job of due) isDone = this.#isOpen && (await this.#take(job)) && isDone;
    } catch (error) {
      this.#warnOf('The schedule could not be read', error);
      return false;
    }
    return isDone;
  }

  async #take(job: JobRow): Promise<boolean> {
    const { store, now, knowsAgent } = this.#options;
    const at = now();
    // The clock was set back after the job was read.
    if (job.nextAt === null || job.nextAt > at) return true;
    try {
      const { latest, passed, next, isLate } = await dueSlots(readSchedule(job.schedule), job.nextAt, at);
      const isTaken = (await store.count('jobSlots', { jobId: job.id, slot: latest })) > 0;
      const how = await this.#decide(job, isLate);
      const run = how === 'skipped' || isTaken ? undefined : await this.#runOf(job, at);
      const writes: readonly Write[] = [
        planNext(job, next),
        ...planPassed(job.id, passed, at),
        ...(isTaken ? [] : planSlot(job, { slot: latest, how, at }, run)),
      ];
      await store.commit(writes, { site: 'job-slot' });
      if (!knowsAgent(job.agentId)) {
        this.#options.warn(
          `The job "${job.name}" (${job.id}) was skipped: there is no agent ${job.agentId} any more.`,
          {
            jobId: job.id,
          },
        );
      }
      if (run) this.#queued(job, run);
      if (next === null) {
        const action = job.removeAfterRun ? 'removed' : 'updated';
        this.#told({ action, job: { ...job, enabled: false, nextAt: null } });
      } else this.#told({ action: 'scheduled', job: { ...job, nextAt: next } });
      return true;
    } catch (error) {
      // Another process was faster, or has changed the job. The next look finds what is due now.
      if (error instanceof PreconditionFailedError) {
        this.#lookAgain = true;
        return true;
      }
      this.#warnOf(`A slot of the job "${job.name}" (${job.id}) could not be taken`, error);
      return false;
    }
  }

  async #decide(job: JobRow, isLate: boolean): Promise<JobSlotRow['how']> {
    if (!this.#options.knowsAgent(job.agentId)) return 'skipped';
    if (isLate && (job.missed ?? this.#options.missed) === 'skip') return 'skipped';
    if ((await this.#waitingRun(job.id)) !== undefined) return 'skipped';
    return isLate ? 'caught-up' : 'due';
  }

  /** Returns the run of this job that is in the inbox and has not begun. */
  async #waitingRun(jobId: string): Promise<string | undefined> {
    const { store } = this.#options;
    const [slot] = await store.select('jobSlots', {
      where: { jobId, runId: { not: null } },
      orderBy: [['seq', 'desc']],
      limit: 1,
    });
    if (!slot?.runId) return undefined;
    const isWaiting = (await store.count('inbox', { runId: slot.runId, kind: 'cron', status: 'queued' })) > 0;
    return isWaiting ? slot.runId : undefined;
  }

  async #runOf({ id, agentId, session, deliverTo }: JobRow, at: number): Promise<SlotRun> {
    const sessionKey =
      session === 'main' ? this.#options.mainSessionKeyOf(agentId) : buildCronSessionKey({ agentId, jobId: id });
    const place = deliverTo && isLastSurface(deliverTo) ? await this.#options.lastPlaceOf(agentId) : deliverTo;
    return { runId: newId('run', at), sessionKey, surface: place ?? silentSurface(id) };
  }

  #queued(job: JobRow, { runId, sessionKey }: SlotRun): void {
    this.#told({ action: 'queued', job, runId });
    this.#options.wakeLane(sessionKey);
  }

  /** Only the names that are written now are checked: a job may be paused although its model is gone. */
  async #checkModels({ agentId }: JobRow, { model, fallbacks }: JobEdit): Promise<void> {
    const named = [
      ...(model ? [{ name: model, what: 'its model' }] : []),
      ...(fallbacks ?? []).map((name) => ({ name, what: `its fallback ${JSON.stringify(name)}` })),
    ];
    for (const { name, what } of named) {
      try {
        await this.#options.checkModel(name, agentId);
      } catch (error) {
        if (!isAtriumError(error)) throw error;
        throw new InvalidJobError({ problem: `${what} cannot be used. ${error.message.replace(/\.$/, '')}` });
      }
    }
  }

  async #editedSchedule(job: JobRow, written: JobEdit['schedule']): Promise<JobSchedule> {
    const { now, timezone } = this.#options;
    const kept = readSchedule(job.schedule);
    if (!written) return kept;
    const isZoneOnly = written.at === undefined && written.every === undefined && written.cron === undefined;
    if (isZoneOnly && kept.kind !== 'cron')
      throw new InvalidJobError({ problem: 'only cron fields have a time zone of their own' });
    const whole = isZoneOnly && kept.kind === 'cron' ? { cron: kept.expr, tz: written.tz } : written;
    // New fields are read in the zone that the job had, unless another zone is named.
    return parseSchedule(whole, { now: now(), timezone: kept.kind === 'cron' ? kept.tz : timezone });
  }

  async #earliest(): Promise<JobRow | undefined> {
    const [job] = await this.#options.store.select('jobs', {
      where: { enabled: true, nextAt: { gte: 0 } },
      orderBy: [['nextAt', 'asc']],
      limit: 1,
    });
    return job;
  }

  async #arm(isTroubled: boolean): Promise<void> {
    if (!this.#isOpen) return;
    const { now } = this.#options;
    try {
      const next = await this.#earliest();
      if (!this.#isOpen || !next) return;
      const soonest = isTroubled ? now() + TRY_AGAIN_MS : now();
      this.#alarm.set(Math.max(next.nextAt ?? 0, soonest));
    } catch {
      this.#alarm.set(now() + TRY_AGAIN_MS);
    }
  }

  async #prune(): Promise<void> {
    const { store, now } = this.#options;
    if (Math.abs(now() - this.#prunedAt) < DAY_MS) return;
    this.#prunedAt = now();
    const where = { at: { lt: now() - KEPT_MS } };
    if ((await store.count('jobSlots', where)) === 0) return;
    await store.commit([{ remove: 'jobSlots', where }], { site: 'prune', lazy: true });
  }

  #told(change: JobChange): void {
    this.#options.tell?.(change);
  }

  #warnOf(what: string, error: unknown): void {
    const why = errorText(error);
    this.#options.warn(`${what}, and is tried again: ${why}`);
  }
}

/** Jobs that are due next come first; jobs that rest come last. */
export async function listJobs(store: Store, agentId?: string): Promise<readonly JobRow[]> {
  const jobs = await store.select('jobs', { where: { agentId }, orderBy: [['createdAt', 'asc']] });
  const due = ({ enabled, nextAt }: JobRow) => (enabled && nextAt !== null ? nextAt : Number.POSITIVE_INFINITY);
  return [...jobs].sort((a, b) => (due(a) === due(b) ? 0 : due(a) - due(b)));
}

export async function findJob(store: Store, id: string): Promise<JobRow> {
  const [job] = await store.select('jobs', { where: { id }, limit: 1 });
  if (!job) throw new UnknownJobError({ jobId: id });
  return job;
}
