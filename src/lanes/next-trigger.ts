// Finds the next trigger of one lane in the store. What a run left `claimed` comes before what is `queued`, and a
// suspended run lets only the answer pass that it waits for. Only one trigger is loaded, even if many wait behind it.

import type { Store, Where } from '../store/store.ts';
import type { InboxRow, RunRow } from '../store/tables.ts';

export type NextTrigger =
  | { readonly kind: 'none' }
  /** The lane is shut until the run is answered. */
  | { readonly kind: 'suspended'; readonly runId: string }
  /** The run has ended, but its trigger does not say so yet. */
  | { readonly kind: 'over'; readonly trigger: InboxRow }
  /** When there is no run, the trigger was not claimed before. */
  | { readonly kind: 'open'; readonly trigger: InboxRow; readonly run: RunRow | undefined };

/** `expectsRun` also looks for the run of a queued trigger, which a normal queued trigger cannot have. */
export async function loadNextTrigger(store: Store, sessionKey: string, expectsRun: boolean): Promise<NextTrigger> {
  const trigger =
    (await firstTrigger(store, { sessionKey, status: 'claimed' })) ??
    (await firstTrigger(store, { sessionKey, status: 'queued' }));
  if (trigger === undefined) return { kind: 'none' };
  const isNew = trigger.status === 'queued' && trigger.kind !== 'approval' && !expectsRun;
  const { runId } = trigger;
  const run = isNew ? undefined : (await store.select('runs', { where: { runId }, limit: 1 }))[0];
  if (run === undefined || run.status === 'running') return { kind: 'open', trigger, run };
  if (run.status !== 'suspended') return { kind: 'over', trigger };
  const answer = await firstTrigger(store, { sessionKey, status: 'queued', runId, kind: 'approval' });
  return answer === undefined ? { kind: 'suspended', runId } : { kind: 'open', trigger: answer, run };
}

async function firstTrigger(store: Store, where: Where<'inbox'>): Promise<InboxRow | undefined> {
  const [first] = await store.select('inbox', { where, orderBy: [['seq', 'asc']], limit: 1 });
  return first;
}
