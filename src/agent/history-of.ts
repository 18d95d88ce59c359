// The history of a session for the next request: the latest compaction is applied, and everything after it is exactly
// as it was first sent. A run that was stopped or given up may have left tool calls without results, and every provider
// refuses such a conversation; so each of them gets a result here. The same entries always give the same history,
// because otherwise the beginning of each later request would differ.

import { type AssistantMessage, type Message, toolCallsOf } from '../protocol/message.ts';
import type { TranscriptRow } from '../store/tables.ts';
import { boundsOf } from './compaction/compaction-facts.ts';
import { prunedResult } from './compaction/pruned-result.ts';
import { COMPACTION_AUTHOR, type PastEntry, withoutPieces } from './message-spans.ts';

/**
 * `runId` is the run that sends the request: pieces that are shown once appear only in the requests of their own run.
 */
export function historyOf(entries: readonly TranscriptRow[], runId?: string): readonly PastEntry[] {
  return withResults(toldEntries(entries, runId));
}

/**
 * The same history in two parts: before a run, and the run's own messages so far, whose calls may still be answered.
 */
export function splitHistory(
  entries: readonly TranscriptRow[],
  runId: string,
): { readonly past: readonly PastEntry[]; readonly own: readonly PastEntry[] } {
  const told = toldEntries(entries, runId);
  return {
    past: withResults(told.filter((entry) => !isOwnEntry(entry, runId))),
    own: told.filter((entry) => isOwnEntry(entry, runId)),
  };
}

/** History that a client sent with its message does not count as the run's own. */
export function isOwnEntry(entry: PastEntry, runId: string): boolean {
  return entry.kind === 'message' && entry.runId === runId && entry.meta.seed !== true;
}

/** The latest compaction covers everything before it: each compaction includes what the earlier ones had decided. */
export function toldEntries(entries: readonly TranscriptRow[], runId?: string): readonly PastEntry[] {
  const said = entries.filter(({ kind }) => kind === 'message');
  const compaction = entries.findLast(({ kind }) => kind === 'compaction');
  if (!compaction) return said.map((entry) => withoutOldPieces(entry, 0, runId));
  const { summarisedTo, prunedTo, contributionsTo } = boundsOf(compaction);
  const left = said.filter(({ position }) => position > summarisedTo);
  const first = left.findIndex(({ message }) => message.role !== 'tool');
  return [
    ...(compaction.message.content.length === 0 ? [] : [compaction]),
    // A result whose call is in the summary is left out, because no provider accepts a result without its call.
    ...left.slice(first === -1 ? left.length : first).map((entry) => {
      return pruned(entry, prunedTo, compaction) ?? withoutOldPieces(entry, contributionsTo, runId);
    }),
  ];
}

/**
 * What prompt hooks added long ago is left out first; an ephemeral piece is shown only in the requests of its own run.
 */
function withoutOldPieces(entry: TranscriptRow, contributionsTo: number, runId: string | undefined): PastEntry {
  if (entry.meta.authors === undefined) return entry;
  return withoutPieces(entry, ({ told }) =>
    told === 'once' ? entry.runId !== runId : told === 'until-compaction' && entry.position <= contributionsTo,
  );
}

function pruned(entry: TranscriptRow, prunedTo: number, { runId, position }: TranscriptRow): PastEntry | undefined {
  const message = entry.position <= prunedTo ? prunedResult(entry.message) : undefined;
  return message
    ? { ...entry, message, meta: { author: COMPACTION_AUTHOR }, writtenBy: { runId, position } }
    : undefined;
}

function withResults(told: readonly PastEntry[]): readonly PastEntry[] {
  const whole: PastEntry[] = [];
  told.forEach((entry, index) => {
    whole.push(entry);
    const { message } = entry;
    if (message.role !== 'assistant' || toolCallsOf(message).length === 0) return;
    for (const missing of missingResults(message, resultsBehind(told, index)))
      whole.push({ message: missing, meta: { unanswered: true } });
  });
  return whole;
}

/** The results of a call directly follow it. */
function resultsBehind(told: readonly PastEntry[], index: number): ReadonlySet<string> {
  const ids = new Set<string>();
  for (let next = index + 1; next < told.length; next++) {
    const message = told[next]?.message;
    if (message?.role !== 'tool') break;
    ids.add(message.toolCallId);
  }
  return ids;
}

function missingResults(message: AssistantMessage, results: ReadonlySet<string>): readonly Message[] {
  return toolCallsOf(message)
    .filter(({ id }) => !results.has(id))
    .map(({ id, name }) => ({ role: 'tool', toolCallId: id, toolName: name, content: UNANSWERED, isError: true }));
}

const UNANSWERED = 'The run ended before this call had a result; whether it took effect is unknown.';
