// Tells `cron_changed` what happens to jobs: that one was added, changed or removed, and that a run of it has begun or
// ended. Listens to the schedule and to the live events; decides nothing.

import type { CronChangedEvent, CronJobSnapshot } from '../hooks/lifecycle-hooks.ts';
import type { HookRunner } from '../hooks/runner.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import { deliveryOf } from '../schedule/job-history.ts';
import type { JobChange } from '../schedule/schedule.ts';
import type { Store } from '../store/store.ts';
import type { JobRow } from '../store/tables.ts';

export class CronChanges {
  readonly #store: Store;
  readonly #hooks: HookRunner;
  /** Runs of jobs that have not ended, with the job as it was when the slot was taken. */
  readonly #runs = new Map<string, Pick<JobRow, 'id'> & Partial<JobRow>>();
  /** Those of them that have begun: a run that a person lets go on does not begin again. */
  readonly #begun = new Set<string>();

  constructor(store: Store, hooks: HookRunner) {
    this.#store = store;
    this.#hooks = hooks;
  }

  /** Finds the runs that an earlier process left. */
  async open(): Promise<void> {
    const left = await this.#store.select('inbox', { where: { kind: 'cron', status: { in: ['queued', 'claimed'] } } });
    for (const { runId, payload } of left) {
      const jobId = payload?.jobId;
      if (jobId === undefined) continue;
      const [job] = await this.#store.select('jobs', { where: { id: jobId }, limit: 1 });
      this.#runs.set(runId, job ?? { id: jobId });
    }
  }

  changed(change: JobChange): void {
    if (change.action === 'queued') this.#runs.set(change.runId, change.job);
    else this.#tell({ action: change.action, jobId: change.job.id, job: snapshotOf(change.job) }, change.job.agentId);
  }

  watch(event: LiveEvent): void {
    if (event.type !== 'run-start' && event.type !== 'run-end') return;
    const job = this.#runs.get(event.runId);
    if (!job) return;
    if (event.type === 'run-end') {
      this.#runs.delete(event.runId);
      this.#begun.delete(event.runId);
      void this.#tellEnd(job, event).catch(() => undefined);
      return;
    }
    const { runId, sessionKey, sessionId, at } = event;
    if (this.#begun.has(runId)) return;
    this.#begun.add(runId);
    this.#tell(
      { action: 'started', jobId: job.id, job: snapshotOf(job), sessionKey, sessionId, runAtMs: at },
      job.agentId,
    );
  }

  async #tellEnd(
    job: Pick<JobRow, 'id'> & Partial<JobRow>,
    { runId, sessionKey, status, error, reply }: LiveEvent & { type: 'run-end' },
  ): Promise<void> {
    if (!this.#hooks.has('cron_changed')) return;
    const [run] = await this.#store.select('runs', { where: { runId }, limit: 1 });
    const [now] = await this.#store.select('jobs', { where: { id: job.id }, limit: 1 });
    const delivery = deliveryOf(await this.#store.select('outbox', { where: { runId } }));
    this.#tell(
      {
        action: 'finished',
        jobId: job.id,
        job: snapshotOf(now ?? job),
        status: status === 'done' ? 'ok' : 'error',
        error,
        summary: reply?.slice(0, 2_000),
        delivered: delivery === 'sent',
        deliveryStatus: DELIVERY_STATUS[delivery],
        sessionKey,
        sessionId: run?.sessionId ?? undefined,
        runAtMs: run?.startedAt,
        durationMs: run && run.endedAt !== null ? run.endedAt - run.startedAt : undefined,
        nextRunAtMs: now?.nextAt ?? undefined,
        model: run?.outcome?.model,
        provider: run?.outcome?.provider,
      },
      job.agentId,
    );
  }

  #tell(event: CronChangedEvent, agentId: string | undefined): void {
    if (!this.#hooks.has('cron_changed')) return;
    this.#hooks.observe('cron_changed', event, { agentId, sessionKey: event.sessionKey, jobId: event.jobId });
  }
}

/** At the end of a run its answer is in the outbox and not yet on its surface. */
const DELIVERY_STATUS = {
  none: 'not-requested',
  queued: 'unknown',
  sent: 'delivered',
  suppressed: 'not-delivered',
  failed: 'not-delivered',
  dead: 'not-delivered',
} as const;

function snapshotOf({
  id,
  name,
  enabled,
  agentId,
  schedule,
  nextAt,
}: Pick<JobRow, 'id'> & Partial<JobRow>): CronJobSnapshot {
  return { id, name, enabled, agentId, schedule, state: { nextRunAtMs: nextAt ?? undefined } };
}
