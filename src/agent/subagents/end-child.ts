// Ends a child: plans the writes that say so, and the message that the parent is owed. They are part of the commit that
// ends the child's last run, so a crash can neither lose the result nor hand it over twice. The file plans and tells;
// the caller commits.
//
// A child is over when one of its runs ends and nothing is left to do: no message waits in its lane, and no child of
// its own owes it a result. A child that was asked to end is over with the run that goes on, whatever waits.

import { childContextOf, deliveryOriginOf } from '../../facts/catalog.ts';
import type { Tell } from '../../facts/facts.ts';
import type { DeliveryOrigin } from '../../hooks/session-hooks.ts';
import { type Inbound, peerOfAddress, type Surface } from '../../protocol/inbound.ts';
import type { RunStatus } from '../../protocol/live-event.ts';
import { newId } from '../../protocol/new-id.ts';
import { isCronSessionKey, isSubagentSessionKey } from '../../protocol/session-key.ts';
import { addUsage, type Cost, NO_USAGE, type Usage } from '../../protocol/usage.ts';
import { completionKeyOf } from '../../store/consume-child.ts';
import type { NewRow, Store, Write } from '../../store/store.ts';
import type { ChildOutcome, ChildRow, InboxRow, TriggerPayload } from '../../store/tables.ts';
import { RunTimeoutError } from '../errors.ts';
import type { RunHooks } from '../run-parts.ts';
import { type ChildRun, readChildRuns, resultOf } from './child-runs.ts';
import { findChild } from './find-child.ts';
import { formatCompletion } from './format-completion.ts';
import { childrenOf } from './told-results.ts';

export interface ChildEndParts {
  readonly store: Store;
  readonly hooks: RunHooks;
  readonly tell: Tell;
  readonly wakeLane: (sessionKey: string) => void;
  readonly now: () => number;
}

/** A run that is about to be ended. */
export interface EndingRun {
  readonly runId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** The results of children that this run was told. */
  readonly results: readonly TriggerPayload[];
  readonly status: Exclude<RunStatus, 'running' | 'suspended'>;
  readonly reply?: string | undefined;
  readonly error?: string | undefined;
  readonly errorCode?: string | undefined;
  /** The run began a new session under the key. */
  readonly hasReset?: boolean | undefined;
  /** The results that the run was told must be told once more, in the next session of the key. */
  readonly isToldAgain?: boolean | undefined;
  /** What the run has used and the store does not have yet. */
  readonly usage?: readonly PricedUsage[] | undefined;
}

export type PricedUsage = Usage & { readonly cost: number | null };

export interface PlannedChildEnd {
  readonly writes: readonly Write[];
  /** The child that these writes end, as it is afterwards. */
  readonly child?: ChildRow | undefined;
  /** The commit fails when what is left for the child has changed, and then has to be planned again. */
  readonly isGuarded?: boolean | undefined;
  /** Called after the commit. */
  tell(): void;
}

/** The end of a run that ends no child. */
export const NO_CHILD_END: PlannedChildEnd = { writes: [], tell: () => {} };

/** What the end of a run means for children: it may be the end of one, and it may have consumed the result of another. */
export async function planChildEndOfRun(parts: ChildEndParts, run: EndingRun): Promise<PlannedChildEnd> {
  const consumed = planConsumption(run, parts.now());
  const child = await findChild(parts.store, run.sessionKey);
  if (!child || child.endedAt !== null) return { ...NO_CHILD_END, writes: consumed };
  const runs = await readChildRuns(parts.store, child.childKey, run);
  const work = await findWork(parts.store, child, run, runs);
  if (work) return { ...NO_CHILD_END, writes: [...consumed, ...work], isGuarded: work.length > 0 };
  // A run that answered a person does not decide how the task ended.
  const decisive = run.hasReset ? run : (runs.findLast(({ isForParent }) => isForParent) ?? run);
  const end = await planChildEnd(parts, child, {
    outcome: child.ending ?? outcomeOf(decisive),
    runs,
    error: child.ending === null ? decisive.error : describeEnding(child, child.ending),
    sessionId: run.sessionId,
    runId: run.runId,
    usage: run.usage,
  });
  return { ...end, writes: [...consumed, ...end.writes] };
}

/** The results that the run was told are consumed with it, or are put into the inbox once more. */
function planConsumption({ results, isToldAgain, sessionKey }: EndingRun, now: number): readonly Write[] {
  return results.flatMap((payload): readonly Write[] => {
    const { completionOf: childKey } = payload;
    if (childKey === undefined) return [];
    if (!isToldAgain) return [{ update: 'children', where: { childKey }, set: { isAnswered: true } }];
    // There is one trigger under this key, so that the code which consumes the result finds it.
    const dedupeKey = completionKeyOf(childKey);
    const row = completionRow(sessionKey, payload, { runId: newId('run', now), dedupeKey, at: now });
    return [
      { update: 'inbox', where: { dedupeKey }, set: { dedupeKey: null } },
      { insert: 'inbox', row },
    ];
  });
}

/**
 * Undefined when the child is over. Else the writes that make the commit fail when that has changed meanwhile: what was
 * left is done or was taken out of the lane, and nothing else would end the child.
 */
async function findWork(
  store: Store,
  { ending, childKey }: ChildRow,
  run: EndingRun,
  runs: readonly ChildRun[],
): Promise<readonly Write[] | undefined> {
  if (ending !== null) return undefined;
  const latest = (status: 'claimed' | 'queued') =>
    store.select('inbox', {
      where: { sessionKey: childKey, runId: { not: run.runId }, status, kind: { not: 'note' } },
      orderBy: [['seq', 'desc']],
      limit: 1,
    });
  // A note for the transcript is no work. A message can be taken out of the lane while another run goes on, which then decides.
  const [begun] = await latest('claimed');
  if (begun) return [stillSo(begun)];
  const isForParent = runs.find(({ runId }) => runId === run.runId)?.isForParent !== false;
  if (run.status === 'stopped' && isForParent) return undefined;
  const owed = await store.select('children', { where: { parentKey: childKey, owes: true, isAnswered: false } });
  const told = new Set(childrenOf(run.results));
  if (owed.some((row) => !told.has(row.childKey))) return [];
  const [waiting] = await latest('queued');
  return waiting && [stillSo(waiting)];
}

function stillSo({ seq, status }: InboxRow): Write {
  return { update: 'inbox', where: { seq, status }, set: { status }, expect: 1 };
}

const TIMEOUT_CODE = new RunTimeoutError({ afterMs: 0 }).code;

function outcomeOf({
  status,
  errorCode,
  hasReset,
}: Pick<ChildRun, 'status' | 'errorCode'> & Pick<EndingRun, 'hasReset'>): ChildOutcome {
  if (hasReset) return 'reset';
  if (status === 'done') return 'ok';
  if (status === 'stopped') return 'killed';
  return errorCode === TIMEOUT_CODE ? 'timeout' : 'error';
}

/** Why a child was ended before it ended by itself, in one sentence. */
export function describeEnding({ runTimeoutMs }: ChildRow, ending: ChildOutcome): string {
  switch (ending) {
    case 'timeout':
      return `It took longer than ${(runTimeoutMs ?? 0) / 1_000} s.`;
    case 'reset':
      return 'Its session was reset.';
    case 'deleted':
      return 'Its session was deleted.';
    default:
      return 'It was stopped.';
  }
}

export interface ChildEnd {
  readonly outcome: ChildOutcome;
  /** What it has done; its answers are the result. */
  readonly runs: readonly ChildRun[];
  readonly error?: string | undefined;
  readonly sessionId: string;
  /** The run that ended it. */
  readonly runId: string;
  readonly usage?: readonly PricedUsage[] | undefined;
}

/** What was said in a session that a person gave up is not told. */
const WITHOUT_RESULT: ReadonlySet<ChildOutcome> = new Set(['reset', 'deleted']);

/** Of two commits that end the same child, the second fails. */
export async function planChildEnd(parts: ChildEndParts, child: ChildRow, end: ChildEnd): Promise<PlannedChildEnd> {
  const { store, tell, wakeLane, now } = parts;
  const endedAt = now();
  const result = WITHOUT_RESULT.has(end.outcome) ? undefined : resultOf(end.runs);
  const isHeard = child.owes && (await isParentHeard(store, child, end.outcome, result));
  const owed = isHeard ? await planCompletion(parts, child, end, result) : [];
  const isQueued = owed.some((write) => 'insert' in write && write.insert === 'inbox');
  const set = {
    endedAt,
    outcome: end.outcome,
    result: result ?? null,
    error: end.error ?? null,
    isAnswered: !isQueued,
  };
  return {
    writes: [{ update: 'children', where: { childKey: child.childKey, endedAt: null }, set, expect: 1 }, ...owed],
    child: { ...child, ...set },
    tell: () => {
      void tell('child-ended', { child: { ...child, ...set }, runId: end.runId, sessionId: end.sessionId });
      if (isQueued) wakeLane(child.parentKey);
    },
  };
}

/**
 * False for a parent that was ended together with its children. A child that wants no announcement gets none, unless
 * its parent is a child too, whose own end waits for this one.
 */
async function isParentHeard(
  store: Store,
  { parentKey }: ChildRow,
  outcome: ChildOutcome,
  result: string | undefined,
): Promise<boolean> {
  const parent = await findChild(store, parentKey);
  if (parent) return parent.endedAt === null && parent.ending === null;
  return outcome !== 'ok' || result !== undefined;
}

/** The trigger by which the parent learns of the end; a dead letter when the parent was deleted. */
async function planCompletion(
  parts: ChildEndParts,
  child: ChildRow,
  end: ChildEnd,
  result: string | undefined,
): Promise<readonly Write[]> {
  const { store, now } = parts;
  const { childKey, parentKey, parentAgentId: agentId } = child;
  const at = now();
  const isInternal = isSubagentSessionKey(parentKey) || isCronSessionKey(parentKey);
  const [first] = await store.select('runs', { where: { runId: child.runId }, limit: 1 });
  const inbound: Inbound = {
    surface: isInternal ? child.origin : await findTarget(parts, child),
    sender: { id: `agent:${child.agentId}`, name: `agent ${child.agentId}` },
    text: formatCompletion({
      ...child,
      sessionId: end.sessionId,
      name: child.label ?? child.taskName,
      outcome: end.outcome,
      result,
      error: end.error ?? null,
      runMs: first ? at - first.startedAt : 0,
      ...(await spentBy(store, childKey, end.usage ?? [])),
      isInternal,
    }),
    at,
    sessionKey: parentKey,
    agentId,
    fromAgent: { runId: end.runId, call: `completion ${childKey}`, path: [] },
  };
  const payload: TriggerPayload = { inbound, agentId, completionOf: childKey };
  const runId = newId('run', at);
  const [parent] = await store.select('sessions', { where: { sessionId: child.parentSessionId }, limit: 1 });
  if (parent?.endReason === 'deleted') return [deadLetter(child, payload, runId, at)];
  const dedupeKey = completionKeyOf(childKey);
  return [{ insert: 'inbox', row: completionRow(parentKey, payload, { runId, dedupeKey, at }) }];
}

function completionRow(
  sessionKey: string,
  payload: TriggerPayload,
  { runId, dedupeKey, at }: { readonly runId: string; readonly dedupeKey: string; readonly at: number },
): NewRow<'inbox'> {
  return {
    runId,
    sessionKey,
    kind: 'completion',
    dedupeKey,
    fingerprint: null,
    payload,
    acceptedAt: at,
    status: 'queued',
  };
}

function deadLetter({ parentKey }: ChildRow, payload: TriggerPayload, runId: string, createdAt: number): Write {
  return {
    insert: 'deadLetters',
    row: {
      id: newId('dead', createdAt),
      direction: 'in',
      runId,
      sessionKey: parentKey,
      reason: 'The session that waited for this result was deleted.',
      createdAt,
      payload: JSON.parse(JSON.stringify({ ...payload, resumes: 'completion' })),
    },
  };
}

/** Where the parent's update goes: to the thread of the child, to where a plugin says, or to where the parent was asked. */
async function findTarget({ hooks }: ChildEndParts, child: ChildRow): Promise<Surface> {
  const { childKey, parentKey, origin, boundTo } = child;
  if (boundTo) return boundTo;
  if (!hooks.has('subagent_delivery_target')) return origin;
  const { result } = await hooks.run(
    'subagent_delivery_target',
    {
      childSessionKey: childKey,
      requesterSessionKey: parentKey,
      requesterOrigin: deliveryOriginOf(origin),
      childRunId: child.runId,
      spawnMode: child.mode,
      expectsCompletionMessage: child.owes,
    },
    childContextOf(child),
  );
  return surfaceOfOrigin(result.origin, origin) ?? origin;
}

/** A place that a plugin names; undefined when it names none. The account is that of the other place unless it says so. */
export function surfaceOfOrigin(named: DeliveryOrigin | undefined, other: Surface): Surface | undefined {
  const { channel, accountId = other.accountId, to, threadId } = named ?? {};
  if (!channel || !to) return undefined;
  return { channel, accountId, peer: peerOfAddress(to), ...(threadId === undefined ? {} : { threadId }) };
}

/** What the runs of a session have used. `besides` is not in the store yet. */
export async function spentBy(
  store: Store,
  sessionKey: string,
  besides: readonly PricedUsage[] = [],
): Promise<{ readonly usage: Usage; readonly cost: Cost }> {
  const rows: readonly PricedUsage[] = [...(await store.select('usage', { where: { sessionKey } })), ...besides];
  const priced = rows.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return {
    usage: rows.reduce<Usage>(addUsage, NO_USAGE),
    cost: {
      cost: priced.length === 0 ? null : priced.reduce((sum, cost) => sum + cost, 0),
      unpriced: rows.length - priced.length,
    },
  };
}
