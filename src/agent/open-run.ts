// Opens a run: the message, its session, the history, and how far an earlier attempt got. It ends the session first
// when a person asked for a new one or its lifetime is over; the message that caused this becomes the first of the new
// session.

import { readInLane, type SaidInLane } from '../commands/read-in-lane.ts';
import type { ConversationHookContext } from '../hooks/hook-context.ts';
import { inStep } from '../hooks/hook-trace.ts';
import type { Model } from '../models/model.ts';
import { RunInterruptedError } from '../protocol/errors.ts';
import type { Inbound } from '../protocol/inbound.ts';
import type { Message } from '../protocol/message.ts';
import type { Trigger } from '../protocol/session-type.ts';
import { timeLimit } from '../protocol/time-limit.ts';
import { endSession } from '../sessions/end-session.ts';
import { loadSession, type SessionPlan } from '../sessions/open-session.ts';
import type { ClaimedTrigger } from '../store/claimed-trigger.ts';
import type { Claim, Store, Write } from '../store/store.ts';
import {
  type ChildRow,
  type ClientRequest,
  type InboxRow,
  type JournalRow,
  RESUMING_KINDS,
  type SessionRow,
  type TranscriptRow,
  type TriggerKind,
  type TriggerPayload,
} from '../store/tables.ts';
import { RunTimeoutError, TriggerScrubbedError } from './errors.ts';
import { isOwnEntry, splitHistory } from './history-of.ts';
import type { PastEntry, SaidMessage } from './message-spans.ts';
import { modelContextOf } from './model-context.ts';
import { runHookContext, TRIGGER_OF_KIND } from './run-hook-context.ts';
import { RunLedger } from './run-ledger.ts';
import type { RunParts } from './run-parts.ts';
import { RunSpending } from './spend/run-spending.ts';
import { findChild } from './subagents/find-child.ts';
import { spawningCallId } from './subagents/spawning-call.ts';
import { childrenOf, readToldResults, tellTogether } from './subagents/told-results.ts';
import { sessionTelling } from './tell-session.ts';
import { threadHistory } from './thread-history.ts';

export interface OpenRun {
  readonly runId: string;
  readonly attempt: number;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly session: SessionRow;
  readonly workspaceDir: string;
  readonly inbound: Inbound;
  readonly trigger: Trigger;
  readonly kind: TriggerKind;
  /** What the API client asks for besides the words, as its newest request says it. */
  readonly client: ClientRequest | undefined;
  /** The row of the session, when another session spawned it. */
  readonly child: ChildRow | undefined;
  /** The results of children that this run is told, each as the trigger that it came with. */
  readonly results: readonly TriggerPayload[];
  /** The message as it was written, with the command in it if there is one. */
  readonly said: SaidInLane;
  /** What the person said to the agent, without a command in front of it. */
  readonly text: string;
  /** An earlier attempt was interrupted. */
  readonly isRecovered: boolean;
  /**
   * The client that waited for the answer was connected to an earlier process and is gone; it asks again if it still
   * wants the answer.
   */
  readonly isAbandoned: boolean;
  /** A person asked for a new session and said nothing else. */
  readonly isResetOnly: boolean;
  /** A person asked for a compaction; the text tells the model what the summary should pay attention to. */
  readonly isCompactOnly: boolean;
  /** What a fresh session begins with, from elsewhere; it is already part of the history. */
  readonly seed: readonly SaidMessage[];
  /** The messages before this run, as they were sent then. */
  readonly history: readonly Message[];
  /** The same messages with what the transcript records about them. */
  readonly past: readonly PastEntry[];
  /** The entries that this run itself has written in an earlier attempt. */
  readonly ownEntries: readonly TranscriptRow[];
  /** The same entries as a request shows them, when they were shortened meanwhile. */
  readonly ownTold: readonly Message[];
  readonly journal: readonly JournalRow[];
  readonly startedAt: number;
  readonly claimedAt: number;
  readonly ledger: RunLedger;
  /** What the run holds of the limits on spending. */
  readonly spending: RunSpending;
  /** It aborts when the run must end: a person or a client stopped it, it took too long, or the process is stopping. */
  readonly signal: AbortSignal;
  /** It includes the model, once that is chosen. */
  readonly context: ConversationHookContext;
  /** Messages that hook packs push about the new session. */
  readonly packMessages: readonly string[];
  /** True when the process is stopping, so that the run is left for the next process. */
  isInterrupted(): boolean;
  /** Called when the request is stored and the model is asked, so that other runs may begin. */
  begun(): void;
  /** After this, handlers are told that the run uses this model. */
  useModel(model: Model): void;
  /** Called when the run is over, for any reason. */
  close(): void;
}

export async function openRun(parts: RunParts, claimed: ClaimedTrigger): Promise<OpenRun> {
  const { trigger, claim, attempt } = claimed;
  const { runId, sessionKey } = trigger;
  const newest = attempt === 1 ? trigger : await newestRequest(parts.store, trigger);
  const begun = payloadOf(newest.payload, runId);
  const kind = begun.resumes ?? trigger.kind;
  const results = await readToldResults(parts.store, { runId, kind });
  const payload = tellTogether(begun, results);
  const { agentId, inbound } = payload;
  const startedAt = parts.now();
  // The first attempt has taken no step yet.
  const journal =
    attempt === 1 ? [] : await parts.store.select('journal', { where: { runId }, orderBy: [['position', 'asc']] });
  const said = readInLane(parts.commands, kind, inbound);
  const reset = said.work?.kind === 'new-session' ? said.work.reason : undefined;
  const { plan, entries, isFresh } = await loadSession(parts, {
    agentId,
    sessionKey,
    // A schedule, a webhook or the result of a child is not a person who speaks at this place.
    surface: isScheduled(kind) || kind === 'completion' ? null : inbound.surface,
    isIsolated: inbound.wishes?.isIsolated,
    now: startedAt,
    reset,
    begun: attempt > 1 ? { runId, hasSteps: journal.length > 0 } : undefined,
  });
  const { session } = plan;
  const child = await findChild(parts.store, sessionKey);
  const brought = isFresh ? (payload.seed ?? []) : [];
  const seed: readonly SaidMessage[] = [
    ...brought.map((message) => ({ message, meta: { seed: true } })),
    ...(await threadHistory(parts.threadHistory, { inbound, kind, session, entries })),
  ];
  const ledger = new RunLedger({
    store: parts.store,
    claim,
    sessionId: session.sessionId,
    now: parts.now,
    opening: plan.writes,
    lastEntry: entries.at(-1)?.position ?? 0,
    lastStep: journal.at(-1)?.position ?? 0,
  });
  // Only an attempt that was interrupted can have left a reservation.
  const [cut] = attempt > 1 ? await parts.store.select('reservations', { where: { runId }, limit: 1 }) : [];
  const workspaceDir = parts.context.workspaceDirOf(agentId);
  // A suspended run that goes on was not interrupted, so it is not recovered.
  const isRecovered = attempt > 1 && !RESUMING_KINDS.has(trigger.kind);
  const { sessionId } = session;
  let context = runHookContext({
    runId,
    sessionKey,
    sessionId,
    workspaceDir,
    agentId,
    isRecovered,
    kind,
    payload,
  });
  void parts.tell('run-started', {
    run: { runId, sessionKey, agentId, attempt, workspaceDir, session, context },
    startedAt,
    spawnedBy: child?.runId === runId ? { runId: child.parentRunId, toolCallId: spawningCallId(child) } : undefined,
    told: childrenOf(results),
  });
  const packMessages = await enterSession(parts, plan, context, claim, reset);
  const told = splitHistory(entries, runId);
  const past: readonly PastEntry[] = [...told.past, ...seed];
  const limit = timeLimitOf(parts, kind, inbound, claimed.signal);
  return {
    runId,
    attempt,
    agentId,
    sessionKey,
    session,
    workspaceDir,
    inbound,
    trigger: TRIGGER_OF_KIND[kind],
    kind,
    client: payload.client,
    child,
    results,
    said,
    text: said.text,
    isRecovered,
    isAbandoned: parts.isClientGone(inbound, newest.acceptedAt),
    isResetOnly: reset !== undefined && said.text === '',
    isCompactOnly: said.work?.kind === 'compaction',
    seed,
    history: past.map(({ message }) => message),
    past,
    ownEntries: entries.filter((entry) => isOwnEntry(entry, runId)),
    ownTold: told.own.map(({ message }) => message),
    journal,
    startedAt,
    claimedAt: claimed.claimedAt,
    ledger,
    spending: new RunSpending(parts.store, { agentId, sessionKey, session, inbound }, cut),
    signal: limit.signal,
    get context() {
      return context;
    },
    packMessages,
    isInterrupted: () => limit.signal.reason instanceof RunInterruptedError,
    begun: claimed.begun,
    useModel: (model) => {
      context = { ...context, ...modelContextOf(model, parts.compaction(agentId)) };
    },
    close: limit.clear,
  };
}

/**
 * Ends the session that this one replaces, in a commit of its own that also records which session the run is in; an
 * attempt after a crash then does not end another one. Gives the messages that hook packs push about the new session.
 */
async function enterSession(
  parts: RunParts,
  { session, ended, isNew }: SessionPlan,
  context: ConversationHookContext,
  claim: Claim,
  command: 'new' | 'reset' | undefined,
): Promise<readonly string[]> {
  const { store, tell } = parts;
  const { runId, messageProvider: source = 'unknown', senderId, workspaceDir } = context;
  const telling = sessionTelling(tell, {
    contextOf: ({ sessionId }, happens) =>
      happens === 'ends' ? inStep({ ...context, sessionId }, 'session end') : { ...context, sessionId },
    command: { runId, source, senderId, workspaceDir },
  });
  const { sessionId, sessionKey, resumedFrom } = session;
  if (ended) {
    const isIn: Write = { update: 'runs', where: { runId: claim.runId }, set: { sessionId } };
    const commit = (writes: readonly Write[]) => store.commit([...writes, isIn], { site: 'session', claim });
    return endSession({ store, telling, commit }, ended);
  }
  if (!isNew) {
    if (parts.isResumed(session)) void telling.started({ session, resumedFrom: sessionId });
    return [];
  }
  // Hook packs are told of the command also when there was no session to end.
  const said = command ? await telling.commanded({ command, sessionKey, session }) : [];
  void telling.started({ session, resumedFrom });
  return said;
}

/** A run about the result of a child may have less time than others. */
function timeLimitOf({ settings }: RunParts, kind: TriggerKind, { wishes }: Inbound, signal: AbortSignal) {
  const { runTimeoutMs, announceTimeoutMs = runTimeoutMs } = settings;
  const wished = wishes?.timeoutMs;
  if (wished !== undefined) return timeLimit(wished, () => new RunTimeoutError({ afterMs: wished }), signal);
  const isShorter = kind === 'completion' && announceTimeoutMs < runTimeoutMs;
  const afterMs = isShorter ? announceTimeoutMs : runTimeoutMs;
  const setting = isShorter ? 'agents.defaults.subagents.announceTimeoutMs' : undefined;
  return timeLimit(afterMs, () => new RunTimeoutError({ afterMs, ...(setting && { setting }) }), signal);
}

/**
 * A client that brings results of its own tools makes another request for the same run. After a crash, the lane takes the
 * run up with its first trigger, and what the client asked for last still counts.
 */
async function newestRequest(store: Store, trigger: InboxRow): Promise<InboxRow> {
  if (!trigger.payload?.client?.tools) return trigger;
  const where = { runId: trigger.runId, kind: 'client' };
  const [newest] = await store.select('inbox', { where, orderBy: [['seq', 'desc']], limit: 1 });
  return newest?.payload ? newest : trigger;
}

function isScheduled(kind: TriggerKind): boolean {
  return kind === 'cron' || kind === 'heartbeat' || kind === 'webhook';
}

function payloadOf(payload: TriggerPayload | null, runId: string): TriggerPayload {
  if (payload === null) throw new TriggerScrubbedError({ runId });
  return payload;
}
