// Tells plugins and hook packs that a conversation is about to be compacted, and what came of it. Messages that hook
// packs push about it are shown where the conversation is.

import type { Message } from '../../protocol/message.ts';
import { historyOf, toldEntries } from '../history-of.ts';
import type { OpenRun } from '../open-run.ts';
import type { RunParts } from '../run-parts.ts';
import type { MadeCompaction } from './compact.ts';
import type { CompactionSubject } from './compaction-subject.ts';
import type { CompactionPlan } from './plan-compaction.ts';

/** Throws only the reason of the run's signal. */
export async function tellBeforeCompaction(
  parts: RunParts,
  run: OpenRun,
  { entries }: CompactionSubject,
  { summarised, tokensBefore }: CompactionPlan,
): Promise<void> {
  await parts.tell('compaction-begun', {
    run: run,
    messages: toldEntries(entries),
    compactingCount: summarised?.older.length ?? 0,
    tokenCount: Math.ceil(tokensBefore),
  });
  run.signal.throwIfAborted();
}

export async function tellAfterCompaction(
  parts: RunParts,
  run: OpenRun,
  { write, facts }: MadeCompaction,
): Promise<void> {
  const { sessionId } = run.session;
  const entries = await parts.store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  const said = entries.filter(({ kind }) => kind === 'message');
  const kept = said.find(({ position }) => position > facts.summarisedTo);
  await parts.tell('compaction-done', {
    run: run,
    left: {
      messageCount: historyOf(entries).length,
      tokenCount: facts.tokensAfter,
      compactedCount: said.filter(({ position }) => position <= facts.summarisedTo).length,
    },
    summaryLength: facts.by === null ? 0 : lengthOf(write.row.message),
    tokensBefore: facts.tokensBefore,
    firstKeptEntryId: kept && `${sessionId}:${kept.position}`,
  });
}

function lengthOf(message: Message): number {
  return typeof message.content === 'string' ? message.content.length : 0;
}
