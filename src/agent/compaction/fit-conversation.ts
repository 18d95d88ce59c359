// Makes room in the middle of a run: when tool results have made the conversation too long for the next request, or the
// provider has refused it for its length. The whole request is then built again from the transcript, including this
// run's own part, exactly as an attempt after a crash would build it.

import type { Message } from '../../protocol/message.ts';
import type { Insert } from '../../store/store.ts';
import type { Conversation } from '../conversation.ts';
import { composeContext } from '../draft-request.ts';
import { isOwnEntry, splitHistory } from '../history-of.ts';
import { spansOfEntry, spansOfMessage, UNKEPT_AUTHOR } from '../message-spans.ts';
import type { OpenRun } from '../open-run.ts';
import type { RequestSpan } from '../request-draft.ts';
import { piecesOfMessage, TOKENS_OF_IMAGE } from '../request-text.ts';
import type { RunParts } from '../run-parts.ts';
import { compact, type MadeCompaction } from './compact.ts';
import { isTooLong, measureConversation } from './compaction-subject.ts';
import { isFarBelow, limitsOf } from './request-size.ts';

/** A conversation that was built again from the transcript. Its compaction must be part of the next commit. */
export interface RetoldConversation {
  readonly messages: readonly Message[];
  /** The authors of all messages, from the first one on. */
  readonly spans: readonly RequestSpan[];
  readonly made: MadeCompaction;
}

/**
 * Undefined when the conversation fits with the added messages, or when it cannot be shortened. `fresh` are the added
 * entries that are not committed yet.
 */
export async function fitConversation(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  added: readonly Message[],
  fresh: readonly Insert<'transcript'>[],
): Promise<RetoldConversation | undefined> {
  const settings = parts.compaction(run.agentId);
  // The body of a request contains every word of it and more, so its length is an upper bound. Its images count extra.
  const { body, images = [] } = conversation.wire;
  const before = body.length + images.length * TOKENS_OF_IMAGE;
  const chars = added.flatMap(piecesOfMessage).reduce((sum, { length }) => sum + length, before);
  const limits = limitsOf(conversation.model, settings);
  if (!settings.enabled || isFarBelow({ chars, messages: added.length }, limits)) return undefined;
  return retell(parts, run, conversation, fresh, 'size');
}

/** Called after a provider has said that the request is too long. */
export async function shortenRefused(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
): Promise<RetoldConversation | undefined> {
  if (!parts.compaction(run.agentId).enabled) return undefined;
  return retell(parts, run, conversation, [], 'refused');
}

async function retell(
  parts: RunParts,
  run: OpenRun,
  { model, frame, unkept }: Pick<Conversation, 'model' | 'frame' | 'unkept'>,
  fresh: readonly Insert<'transcript'>[],
  why: 'size' | 'refused',
): Promise<RetoldConversation | undefined> {
  const { sessionId } = run.session;
  const kept = await parts.store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  const entries = [...kept, ...fresh.map(({ row }) => row)];
  const subject = await measureConversation(parts, run, {
    why,
    model,
    frame,
    entries,
    besides: unkept ? [unkept] : [],
    // What follows a message that must not be kept makes no sense without it, and the message must not get into a
    // summary.
    before: unkept && entries.find((entry) => isOwnEntry(entry, run.runId))?.position,
    files: async () => (await composeContext(parts, run, 'preview')).files,
  });
  if (why === 'size' && !isTooLong(subject)) return undefined;
  const { made } = await compact(parts, run, subject);
  if (!made) return undefined;
  const { past, own } = splitHistory([...entries, made.write.row], run.runId);
  const between = unkept ? [unkept] : [];
  return {
    messages: [...past.map(({ message }) => message), ...between, ...own.map(({ message }) => message)],
    spans: [
      ...past.flatMap(spansOfEntry),
      ...between.flatMap((message) => spansOfMessage(message, past.length, UNKEPT_AUTHOR)),
      ...own.flatMap((entry, index) => spansOfEntry(entry, past.length + between.length + index)),
    ],
    made,
  };
}
