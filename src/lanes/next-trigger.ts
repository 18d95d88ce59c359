// Finds the next trigger of one lane in the store. What a run left `claimed` comes before what is `queued`, and a
// suspended run lets only a trigger of its own pass, which resumes it. Only one trigger is loaded, even if many wait
// behind it, unless it is of a kind that may be handled together with others.

import type { Store, Where } from '../store/store.ts';
import { type InboxRow, RESUMING_KINDS, type RunRow } from '../store/tables.ts';
import type { Joining } from './lanes.ts';

export type NextTrigger =
  | { readonly kind: 'none' }
  /** The lane is shut until the run is resumed. */
  | { readonly kind: 'suspended'; readonly run: RunRow }
  /** The run has ended, but its trigger does not say so yet. */
  | { readonly kind: 'over'; readonly trigger: InboxRow }
  /** When there is no run, the trigger was not claimed before. */
  | {
      readonly kind: 'open';
      readonly trigger: InboxRow;
      readonly run: RunRow | undefined;
      /** The triggers that wait directly behind it and become part of its run. Only a run that begins has any. */
      readonly joined: readonly InboxRow[];
    };

/** `expectsRun` also looks for the run of a queued trigger, which a normal queued trigger cannot have. */
export async function loadNextTrigger(
  store: Store,
  sessionKey: string,
  expectsRun: boolean,
  joining?: Joining | undefined,
): Promise<NextTrigger> {
  const trigger = await firstOpenTrigger(store, sessionKey);
  if (trigger === undefined) return { kind: 'none' };
  const isNew = trigger.status === 'queued' && !RESUMING_KINDS.has(trigger.kind) && !expectsRun;
  const { runId } = trigger;
  const run = isNew ? undefined : (await store.select('runs', { where: { runId }, limit: 1 }))[0];
  if (run?.status === 'running') return { kind: 'open', trigger, run, joined: [] };
  if (run === undefined) return { kind: 'open', trigger, run, joined: await joinedWith(store, trigger, joining) };
  if (run.status !== 'suspended') return { kind: 'over', trigger };
  const waker = await firstTrigger(store, { sessionKey, status: 'queued', runId });
  return waker === undefined ? { kind: 'suspended', run } : { kind: 'open', trigger: waker, run, joined: [] };
}

async function joinedWith(store: Store, first: InboxRow, joining: Joining | undefined): Promise<readonly InboxRow[]> {
  if (joining?.kind !== first.kind || first.status !== 'queued') return [];
  const behind = await store.select('inbox', {
    where: { sessionKey: first.sessionKey, status: 'queued', seq: { gt: first.seq } },
    orderBy: [['seq', 'asc']],
    limit: joining.limit - 1,
  });
  const taken = [first];
  for (const next of behind) {
    if (!joining.takes(taken, next)) break;
    taken.push(next);
  }
  return taken.slice(1);
}

/**
 * One reading sees one moment. With two, the first trigger could be claimed by another node in between, and the second one
 * would look like the next.
 */
async function firstOpenTrigger(store: Store, sessionKey: string): Promise<InboxRow | undefined> {
  const [first] = await store.select('inbox', {
    where: { sessionKey, status: { in: ['claimed', 'queued'] } },
    // `claimed` comes before `queued` in the alphabet too.
    orderBy: [
      ['status', 'asc'],
      ['seq', 'asc'],
    ],
    limit: 1,
  });
  return first;
}

async function firstTrigger(store: Store, where: Where<'inbox'>): Promise<InboxRow | undefined> {
  const [first] = await store.select('inbox', { where, orderBy: [['seq', 'asc']], limit: 1 });
  return first;
}
