// What was said in a session, as the next request tells it: the latest compaction applied, everything behind it exactly
// as it was first sent. A run that was stopped or given up may have left tool calls without results, and every provider
// refuses such a conversation; so each of them is answered here. All of it comes out the same way every time, or the
// beginning of each later request would differ.

import { type Message, toolCallsOf } from '../protocol/message.ts';
import type { TranscriptRow } from '../store/tables.ts';
import { boundsOf } from './compaction/compaction-facts.ts';
import { prunedResult } from './compaction/pruned-result.ts';
import { COMPACTION_AUTHOR, type PastEntry, withoutPieces } from './message-spans.ts';

/** `runId` names the run whose request it is: pieces that are told once are told in the requests of their own run. */
export function historyOf(entries: readonly TranscriptRow[], runId?: string): readonly PastEntry[] {
  return withResults(toldEntries(entries, runId));
}

/** The same in two: what was said before a run, and what the run itself has said so far, whose calls may yet be answered. */
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

/** What a client told of an earlier talk came with the run, and is not its own. */
export function isOwnEntry(entry: PastEntry, runId: string): boolean {
  return entry.kind === 'message' && entry.runId === runId && entry.meta.seed !== true;
}

/** The latest compaction stands for all before it: each one carries on what the ones before it had decided. */
export function toldEntries(entries: readonly TranscriptRow[], runId?: string): readonly PastEntry[] {
  const said = entries.filter(({ kind }) => kind === 'message');
  const compaction = entries.findLast(({ kind }) => kind === 'compaction');
  if (!compaction) return said.map((entry) => withoutOldPieces(entry, 0, runId));
  const { summarisedTo, prunedTo, contributionsTo } = boundsOf(compaction);
  const left = said.filter(({ position }) => position > summarisedTo);
  const first = left.findIndex(({ message }) => message.role !== 'tool');
  return [
    ...(compaction.message.content.length === 0 ? [] : [compaction]),
    // A result whose call is in the summary would be one that no provider takes.
    ...left.slice(first === -1 ? left.length : first).map((entry) => {
      return pruned(entry, prunedTo, compaction) ?? withoutOldPieces(entry, contributionsTo, runId);
    }),
  ];
}

/** What prompt hooks added long ago makes room first; what was declared ephemeral is told by its own run alone. */
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
  return told.flatMap((entry, index) => [
    entry,
    ...missingResults(entry.message, resultsBehind(told, index)).map(
      (message): PastEntry => ({ message, meta: { unanswered: true } }),
    ),
  ]);
}

/** A call's results stand right behind it. */
function resultsBehind(told: readonly PastEntry[], index: number): ReadonlySet<string> {
  const ids = new Set<string>();
  for (let next = index + 1; next < told.length; next++) {
    const message = told[next]?.message;
    if (message?.role !== 'tool') break;
    ids.add(message.toolCallId);
  }
  return ids;
}

function missingResults(message: Message, results: ReadonlySet<string>): readonly Message[] {
  if (message.role !== 'assistant') return [];
  return toolCallsOf(message)
    .filter(({ id }) => !results.has(id))
    .map(({ id, name }) => ({ role: 'tool', toolCallId: id, toolName: name, content: UNANSWERED, isError: true }));
}

const UNANSWERED = 'The run ended before this call had a result; whether it took effect is unknown.';
