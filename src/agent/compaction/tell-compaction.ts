// Tells plugins and hook packs that a conversation is about to be made shorter, and what became of it. What hook packs
// want said about it is said where the conversation is.

import type { Message } from '../../protocol/message.ts';
import { historyOf, toldEntries } from '../history-of.ts';
import type { Turn } from '../open-turn.ts';
import type { RunParts } from '../run-parts.ts';
import type { MadeCompaction } from './compact.ts';
import type { CompactionSubject } from './compaction-subject.ts';
import type { CompactionPlan } from './plan-compaction.ts';

/** Throws only the reason of the run's signal. */
export async function tellBeforeCompaction(
  parts: RunParts,
  turn: Turn,
  { entries }: CompactionSubject,
  { summarised, tokensBefore }: CompactionPlan,
): Promise<void> {
  const messages = toldEntries(entries).map(({ message }) => message);
  const messageCount = messages.length;
  const tokenCount = Math.ceil(tokensBefore);
  if (parts.hooks.has('before_compaction')) {
    const compactingCount = summarised?.older.length ?? 0;
    const event = { messageCount, compactingCount, tokenCount, messages };
    await parts.hooks.observeAndWait('before_compaction', event, turn.context);
  }
  await parts.internalHook('session', 'compact:before', turn.sessionKey, {
    ...placeOf(turn),
    messageCount,
    tokenCount,
    messageCountOriginal: messageCount,
    tokenCountOriginal: tokenCount,
  });
  turn.signal.throwIfAborted();
}

export async function tellAfterCompaction(
  parts: RunParts,
  turn: Turn,
  { write, facts }: MadeCompaction,
): Promise<void> {
  const { sessionId } = turn.session;
  const entries = await parts.store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  const said = entries.filter(({ kind }) => kind === 'message');
  const kept = said.find(({ position }) => position > facts.summarisedTo);
  const left = {
    messageCount: historyOf(entries).length,
    tokenCount: facts.tokensAfter,
    compactedCount: said.filter(({ position }) => position <= facts.summarisedTo).length,
  };
  if (parts.hooks.has('after_compaction')) parts.hooks.observe('after_compaction', left, turn.context);
  await parts.internalHook('session', 'compact:after', turn.sessionKey, {
    ...placeOf(turn),
    ...left,
    summaryLength: facts.by === null ? 0 : lengthOf(write.row.message),
    tokensBefore: facts.tokensBefore,
    tokensAfter: facts.tokensAfter,
    ...(kept ? { firstKeptEntryId: `${sessionId}:${kept.position}` } : {}),
  });
}

function placeOf({ runId, session }: Turn) {
  return { runId, sessionId: session.sessionId, missingSessionKey: false };
}

function lengthOf(message: Message): number {
  return typeof message.content === 'string' ? message.content.length : 0;
}
