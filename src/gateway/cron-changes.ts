// Tells `cron_changed` about jobs: that one was added, changed or removed, that its next time is set, and that a run of
// it has begun or ended. It listens to the schedule and to the live events and decides nothing.
// Rules: everything about jobs is told in the order in which it happened. The end of a run is told once its answer has
// arrived or failed, or after a time limit when that is not known yet.

import type { Teller } from '../facts/teller.ts';
import { rootTrace, runTrace } from '../hooks/hook-trace.ts';
import type { CronChangedEvent, CronJobSnapshot, GatewayHookContext } from '../hooks/lifecycle-hooks.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import { deliveryOf, type JobHistoryEntry, readJobHistory } from '../schedule/job-history.ts';
import type { JobChange } from '../schedule/schedule.ts';
import type { Store } from '../store/store.ts';
import type { JobRow } from '../store/tables.ts';

type KnownJob = Pick<JobRow, 'id'> & Partial<JobRow>;
type RunStart = LiveEvent & { readonly type: 'run-start' };
type RunEnd = LiveEvent & { readonly type: 'run-end' };

/** How long the end of a run waits for the end of its delivery. */
const DELIVERY_WAIT_MS = 10_000;

export class CronChanges {
  readonly #store: Store;
  readonly #teller: Teller;
  readonly #context: GatewayHookContext;
  /** Runs of jobs that have not ended, with the job as it was when the slot was taken. */
  readonly #runs = new Map<string, KnownJob>();
  /** Runs that have begun: a run that continues after a person's answer does not begin again. */
  readonly #begun = new Set<string>();
  /** Runs that have ended while their answer is being delivered; calling the function tells the end now. */
  readonly #delivering = new Map<string, () => void>();
  /** Makes the tellings one after the other, although each reads from the store first. */
  #told: Promise<void> = Promise.resolve();

  /** Set where several nodes share the store: a run may have been started by another one, so its job is looked up. */
  readonly #isShared: boolean;
  /** Makes the looks one after the other, so that a run's end does not overtake its start. */
  #lookedUp: Promise<void> = Promise.resolve();

  constructor(
    store: Store,
    teller: Teller,
    {
      context = {},
      isShared = false,
    }: { readonly context?: GatewayHookContext | undefined; readonly isShared?: boolean | undefined } = {},
  ) {
    this.#store = store;
    this.#teller = teller;
    this.#context = context;
    this.#isShared = isShared;
  }

  /** Finds the runs that an earlier process left open. */
  async open(): Promise<void> {
    if (this.#isShared) return;
    const left = await this.#store.select('inbox', { where: { kind: 'cron', status: { in: ['queued', 'claimed'] } } });
    for (const { runId, payload } of left) {
      const jobId = payload?.jobId;
      if (jobId === undefined) continue;
      const [job] = await this.#store.select('jobs', { where: { id: jobId }, limit: 1 });
      this.#runs.set(runId, job ?? { id: jobId });
    }
  }

  /** Resolves when everything that happened was told. */
  async close(): Promise<void> {
    await this.#lookedUp;
    for (const tellNow of [...this.#delivering.values()]) tellNow();
    await this.#told;
  }

  changed(change: JobChange): void {
    if (change.action === 'queued') {
      if (!this.#isShared) this.#runs.set(change.runId, change.job);
    } else this.#tellLater(async () => this.#tell({ action: change.action, ...(await this.#factsOf(change.job)) }));
  }

  watch(event: LiveEvent): void {
    if (event.type !== 'run-start' && event.type !== 'run-end') return;
    if (!this.#isShared) this.#watchRun(event);
    else if (this.#teller.isHeard('cron-changed')) {
      this.#lookedUp = this.#lookedUp
        .then(async () => {
          if (!this.#runs.has(event.runId)) await this.#learn(event.runId);
          this.#watchRun(event);
        })
        .catch(() => undefined);
    }
  }

  async #learn(runId: string): Promise<void> {
    const [trigger] = await this.#store.select('inbox', { where: { runId, kind: 'cron' }, limit: 1 });
    const jobId = trigger?.payload?.jobId;
    if (jobId !== undefined) this.#runs.set(runId, await this.#asItIs({ id: jobId }));
  }

  #watchRun(event: RunStart | RunEnd): void {
    const job = this.#runs.get(event.runId);
    if (!job) return;
    if (event.type === 'run-end') {
      this.#runs.delete(event.runId);
      this.#begun.delete(event.runId);
      this.#awaitDelivery(job, event);
      return;
    }
    const { runId, sessionKey, sessionId, at } = event;
    if (this.#begun.has(runId)) return;
    this.#begun.add(runId);
    this.#tellLater(async () => {
      const facts = await this.#factsOf(await this.#asItIs(job));
      this.#tell({ action: 'started', ...facts, runId, sessionKey, sessionId, runAtMs: at });
    });
  }

  #awaitDelivery(job: KnownJob, end: RunEnd): void {
    const { runId } = end;
    const tellNow = () => {
      clearTimeout(timer);
      if (this.#delivering.delete(runId)) this.#tellLater(() => this.#tellEnd(job, end));
    };
    const timer = setTimeout(tellNow, DELIVERY_WAIT_MS);
    timer.unref();
    this.#delivering.set(runId, tellNow);
    void this.look(runId);
  }

  /** Checks whether a part of the answer is still being delivered. */
  async look(runId: string): Promise<void> {
    if (!this.#delivering.has(runId)) return;
    const queued = await this.#store.count('outbox', { runId, status: 'queued' }).catch(() => 0);
    if (queued === 0) this.#delivering.get(runId)?.();
  }

  async #tellEnd(job: KnownJob, { runId, sessionKey, status, error, reply }: RunEnd): Promise<void> {
    const [run] = await this.#store.select('runs', { where: { runId }, limit: 1 });
    const now = await this.#asItIs(job);
    const rows = await this.#store.select('outbox', { where: { runId } });
    const delivery = deliveryOf(rows);
    this.#tell({
      action: 'finished',
      ...(await this.#factsOf(now)),
      runId,
      status: status === 'done' ? 'ok' : 'error',
      error,
      summary: reply?.slice(0, 2_000),
      delivered: delivery === 'sent',
      deliveryStatus: DELIVERY_STATUS[delivery],
      deliveryError: rows.find((row) => row.error !== null)?.error ?? undefined,
      sessionKey,
      sessionId: run?.sessionId ?? undefined,
      runAtMs: run?.startedAt,
      durationMs: run && run.endedAt !== null ? run.endedAt - run.startedAt : undefined,
      nextRunAtMs: now.nextAt ?? undefined,
      model: run?.outcome?.model,
      provider: run?.outcome?.provider,
    });
  }

  /** A job may have been changed since its slot was taken, so it is read again; a removed job is told as it was. */
  async #asItIs(job: KnownJob): Promise<KnownJob> {
    const [now] = await this.#store.select('jobs', { where: { id: job.id }, limit: 1 });
    return now ?? job;
  }

  async #factsOf(job: KnownJob): Promise<Omit<CronChangedEvent, 'action'>> {
    const history = await readJobHistory(this.#store, job.id, { limit: LOOKED_BACK });
    const last = history.find(({ endedAt }) => endedAt !== null);
    const snapshot = snapshotOf(job, last);
    return { jobId: job.id, job: snapshot, agentId: job.agentId, sessionTarget: snapshot.sessionTarget };
  }

  #tell(event: CronChangedEvent): void {
    const { agentId, sessionKey, sessionId, jobId, runId, action } = event;
    const context = {
      ...this.#context,
      agentId,
      sessionKey,
      sessionId,
      jobId,
      runId,
      trace: runId === undefined ? rootTrace(jobId, `${action} ${event.job?.updatedAtMs ?? ''}`) : runTrace(runId),
    };
    void this.#teller.tell('cron-changed', { event, context });
  }

  #tellLater(tell: () => Promise<void>): void {
    if (!this.#teller.isHeard('cron-changed')) return;
    this.#told = this.#told.then(tell).catch(() => undefined);
  }
}

/** How many slots are searched for one whose run is over. */
const LOOKED_BACK = 10;

const DELIVERY_STATUS = {
  none: 'not-requested',
  queued: 'unknown',
  sent: 'delivered',
  suppressed: 'not-delivered',
  failed: 'not-delivered',
  dead: 'not-delivered',
} as const;

function snapshotOf(job: KnownJob, last: JobHistoryEntry | undefined): CronJobSnapshot {
  const { id, name, enabled, agentId, schedule, session, message, createdAt, updatedAt, nextAt } = job;
  return {
    id,
    name,
    enabled,
    agentId,
    schedule,
    sessionTarget: session === undefined ? undefined : session === 'main' ? 'main' : 'isolated',
    payload: message === undefined ? undefined : { kind: 'agentTurn', message },
    createdAtMs: createdAt,
    updatedAtMs: updatedAt,
    state: { nextRunAtMs: nextAt ?? undefined, ...(last ? lastRunOf(last) : {}) },
  };
}

function lastRunOf({ status, startedAt, endedAt, error, delivery }: JobHistoryEntry): CronJobSnapshot['state'] {
  return {
    lastRunAtMs: startedAt ?? undefined,
    lastRunStatus: status === 'done' ? 'ok' : 'error',
    lastError: error ?? undefined,
    lastDurationMs: startedAt !== null && endedAt !== null ? endedAt - startedAt : undefined,
    lastDelivered: delivery === 'sent',
    lastDeliveryStatus: DELIVERY_STATUS[delivery],
  };
}
