// Whether every message of the last day is accounted for: each one that was accepted waits, is at work, or has ended in one
// of the ways that people can see. It counts rows and decides nothing.

import { oldestIdSince } from '../../protocol/new-id.ts';
import type { Store } from '../../store/store.ts';
import { RESUMING_KINDS, TRIGGER_KINDS } from '../../store/tables.ts';

export interface Conservation {
  readonly since: number;
  /** Messages and other triggers that start a run. */
  readonly accepted: number;
  readonly waiting: number;
  readonly running: number;
  /** Runs that wait for a person, for subagents or for their client. */
  readonly suspended: number;
  readonly done: number;
  readonly failed: number;
  readonly stopped: number;
  readonly blocked: number;
  /** Accepted, and neither waiting nor at work nor ended. It is 0 unless something is wrong. */
  readonly unaccounted: number;
  readonly deliveries: Deliveries;
}

export interface Deliveries {
  readonly queued: number;
  readonly sent: number;
  readonly suppressed: number;
  readonly failed: number;
  readonly dead: number;
}

const DAY_MS = 24 * 3_600_000;
/** Triggers of these kinds start a run of their own. */
const STARTING_KINDS = TRIGGER_KINDS.filter((kind) => !RESUMING_KINDS.has(kind) && kind !== 'note');

export async function readConservation(store: Pick<Store, 'count' | 'select'>, now: number): Promise<Conservation> {
  const since = now - DAY_MS;
  const counted = await countTriggers(store, since, 0);
  // The counts are several reads, and a message may be claimed between two of them.
  const runs =
    counted.unaccounted === 0 ? counted : await countTriggers(store, since, await countSharedResults(store, since));
  return { since, ...runs, deliveries: await countDeliveries(store, since) };
}

/**
 * Results of subagents that started no run of their own: several may be told in one run, and a run that waited for one reads
 * it itself.
 */
async function countSharedResults(store: Pick<Store, 'count' | 'select'>, since: number): Promise<number> {
  let shared = 0;
  const runIds = new Set<string>();
  for (let after = 0; ; ) {
    const rows = await store.select('inbox', {
      where: { runId: { gte: oldestIdSince('run', since) }, kind: 'completion', status: 'done', seq: { gt: after } },
      orderBy: [['seq', 'asc']],
      limit: RESULTS_A_READ,
    });
    const read = new Set(rows.map(({ runId }) => runId).filter((runId) => !runIds.has(runId)));
    for (const runId of read) runIds.add(runId);
    const own = read.size === 0 ? 0 : await store.count('runs', { runId: { in: [...read] } });
    shared += rows.length - own;
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < RESULTS_A_READ) return shared;
  }
}

const RESULTS_A_READ = 200;

async function countTriggers(store: Pick<Store, 'count'>, since: number, sharedResults: number) {
  const runId = { gte: oldestIdSince('run', since) };
  const kind = { in: STARTING_KINDS };
  const ofStatus = (status: string) => store.count('runs', { runId, status });
  const [triggers, waiting, running, suspended, done, failed, stopped, blocked] = await Promise.all([
    store.count('inbox', { runId, kind }),
    store.count('inbox', { runId, kind, status: 'queued' }),
    ofStatus('running'),
    ofStatus('suspended'),
    ofStatus('done'),
    ofStatus('failed'),
    ofStatus('stopped'),
    ofStatus('blocked'),
  ]);
  const accepted = triggers - sharedResults;
  const known = waiting + running + suspended + done + failed + stopped + blocked;
  const unaccounted = Math.max(0, accepted - known);
  return { accepted, waiting, running, suspended, done, failed, stopped, blocked, unaccounted };
}

async function countDeliveries(store: Pick<Store, 'count'>, since: number): Promise<Deliveries> {
  const createdAt = { gte: since };
  const ofStatus = (status: string) => store.count('outbox', { createdAt, status });
  const [queued, sent, suppressed, failed, dead] = await Promise.all(
    ['queued', 'sent', 'suppressed', 'failed', 'dead'].map(ofStatus),
  );
  return {
    queued: queued ?? 0,
    sent: sent ?? 0,
    suppressed: suppressed ?? 0,
    failed: failed ?? 0,
    dead: dead ?? 0,
  };
}
