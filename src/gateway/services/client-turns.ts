// The turns of a run with its API client. A run that hands calls to its client ends a turn with them, and begins the next
// one with the results; each request of the client is one turn. Everything is read from the store, so that an answer can
// be told again, also by another process.

import { formatClientCallId } from '../../protocol/client-call-id.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { textOf, toolCallsOf } from '../../protocol/message.ts';
import { addUsage, NO_USAGE, type Usage } from '../../protocol/usage.ts';
import type { Store } from '../../store/store.ts';
import type { HandedCall, InboxRow, TranscriptRow } from '../../store/tables.ts';
import { handedCalls } from './client-calls.ts';
import { type FoundRun, findRun, isOver } from './runs.ts';

export interface ClientTurn {
  readonly run: FoundRun;
  /** Counts from 0. */
  readonly index: number;
  /** The request of the client that began it. */
  readonly trigger: InboxRow;
  /** The calls that ended it. */
  readonly calls: readonly HandedCall[];
  readonly usage: Usage;
  /** `calls` and `over` are ends; a turn that was `passed` ended with calls whose results are there. */
  readonly state: 'working' | 'calls' | 'passed' | 'over';
}

/** Rejects with UnknownRunError; undefined when the run has no such turn. Without an index it is the last turn. */
export async function readClientTurn(store: Store, runId: string, index?: number): Promise<ClientTurn | undefined> {
  const run = await findRun(store, runId);
  const triggers = await readRequests(store, runId);
  const at = index ?? triggers.length - 1;
  const trigger = triggers[at];
  if (!trigger) return undefined;
  const next = triggers[at + 1];
  const usage = await usageBetween(store, runId, trigger.acceptedAt, next?.acceptedAt);
  const about = { run, index: at, trigger, usage };
  if (next) return { ...about, calls: await pastCalls(store, run, at), state: 'passed' };
  if (isOver(run)) return { ...about, calls: [], state: 'over' };
  const calls = await handedCalls(store, runId);
  return { ...about, calls, state: calls.length > 0 ? 'calls' : 'working' };
}

/** The requests of the client for this run, oldest first. */
async function readRequests(store: Store, runId: string): Promise<readonly InboxRow[]> {
  const rows = await store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']] });
  return rows.filter(({ kind }, index) => index === 0 || kind === 'client');
}

async function usageBetween(store: Store, runId: string, from: number, to = Number.POSITIVE_INFINITY): Promise<Usage> {
  const rows = await store.select('usage', { where: { runId, purpose: 'run' } });
  return rows.filter(({ at }) => at >= from && at < to).reduce(addUsage, NO_USAGE);
}

/** The calls that ended an earlier turn, as the transcript has them. */
async function pastCalls(store: Store, { runId, sessionId }: FoundRun, index: number): Promise<readonly HandedCall[]> {
  if (sessionId === null) return [];
  const where = { sessionId, runId, kind: 'message' };
  const rows = await store.select('transcript', { where, orderBy: [['position', 'asc']] });
  const row = rows.filter(({ meta }) => meta.handed !== undefined)[index];
  return row ? callsIn(runId, row) : [];
}

function callsIn(runId: string, { message, meta: { handed } }: TranscriptRow): readonly HandedCall[] {
  if (message.role !== 'assistant' || !isJsonObject(handed) || !Array.isArray(handed.places)) return [];
  const said = textOf(message);
  const calls = toolCallsOf(message);
  return handed.places.flatMap((place) => {
    const call = calls[Number(place)];
    if (!call) return [];
    const params = isJsonObject(call.params) ? call.params : {};
    return [{ id: formatClientCallId(runId, `${handed.call}.${place}`), name: call.name, params, said }];
  });
}
