// Makes room before a run sends its first request: when system blocks, tools, history and the new message together come
// near the model's window, the history is compacted first. A preview does the same as far as no model is needed.

import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import type { TranscriptRow } from '../../store/tables.ts';
import type { RunSubject } from '../draft-request.ts';
import { splitHistory } from '../history-of.ts';
import { type PastEntry, spansOfTalk } from '../message-spans.ts';
import type { OpenRun } from '../open-run.ts';
import type { RequestDraft } from '../request-draft.ts';
import type { DraftParts, RunParts } from '../run-parts.ts';
import { commitCompaction, compact } from './compact.ts';
import type { CompactionCause } from './compaction-facts.ts';
import { type CompactionSubject, isTooLong, measureConversation, planFor } from './compaction-subject.ts';
import { isFarBelow, isSurelyBelow, limitsOf } from './request-size.ts';
import { shortenHistory } from './shorten-history.ts';

export async function fitRequest(parts: RunParts, run: OpenRun, draft: RequestDraft): Promise<RequestDraft> {
  const subject = await tooLongDraft(parts, run, draft);
  const made = subject && (await compact(parts, run, subject)).made;
  if (!made) return draft;
  await commitCompaction(parts, run, made);
  return withHistory(draft, run, [...subject.entries, made.write.row]);
}

/** A compaction that needs a model appears as a placeholder; one that needs none is shown as the run would do it. */
export async function fitPreview(parts: DraftParts, run: RunSubject, draft: RequestDraft): Promise<RequestDraft> {
  const subject = await tooLongDraft(parts, run, draft);
  const plan = subject && planFor(subject);
  if (!plan) return draft;
  if (plan.summarised) return { ...draft, placeholders: [...draft.placeholders, 'compaction'] };
  const { pins } = parts.compaction(run.agentId);
  const shortened = shortenHistory(subject, plan, undefined, { pins, files: await subject.files() });
  if (!shortened) return draft;
  const { message, meta } = shortened;
  const { session, runId, startedAt: at } = run;
  const position = (subject.entries.at(-1)?.position ?? 0) + 1;
  const { sessionId } = session;
  const row: TranscriptRow = { sessionId, position, runId, at, kind: 'compaction', message, shown: null, meta };
  return withHistory(draft, run, [...subject.entries, row]);
}

async function tooLongDraft(
  parts: DraftParts,
  run: RunSubject,
  draft: RequestDraft,
): Promise<CompactionSubject | undefined> {
  const settings = parts.compaction(run.agentId);
  const { messages } = draft.request;
  const chars = draft.spans.reduce((sum, span) => sum + span.chars + (span.tokens ?? 0), 0);
  const limits = limitsOf(draft.model, settings);
  const isBelow = () =>
    isFarBelow({ chars, messages: messages.length }, limits) || isSurelyBelow(draft.request, limits);
  if (!settings.enabled || isBelow()) return undefined;
  // A client that sends its own history must shorten it itself, because it would send the whole history again with the
  // next message.
  if (run.past.some(isNotKeptYet)) return undefined;
  const subject = await subjectOfDraft(parts, run, draft, 'size');
  return isTooLong(subject) ? subject : undefined;
}

export async function subjectOfDraft(
  parts: DraftParts,
  run: RunSubject,
  { model, request, user, composition }: RequestDraft,
  why: CompactionCause,
): Promise<CompactionSubject> {
  const { sessionId } = run.session;
  const entries = await parts.store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  const files = async (): Promise<readonly WorkspaceBootstrapFile[]> => composition.files;
  const besides = why === 'asked' ? [] : [user.message];
  return measureConversation(parts, run, { why, model, frame: request, entries, besides, files });
}

function isNotKeptYet({ meta, position }: PastEntry): boolean {
  return meta.seed === true && position === undefined;
}

/** The same draft with the shortened history. */
function withHistory(draft: RequestDraft, { runId }: RunSubject, entries: readonly TranscriptRow[]): RequestDraft {
  const { past } = splitHistory(entries, runId);
  return {
    ...draft,
    request: { ...draft.request, messages: [...past.map(({ message }) => message), draft.user.message] },
    spans: [
      ...draft.spans.filter(({ where }) => where !== 'messages'),
      ...spansOfTalk(past, draft.userPieces, draft.user.message),
    ],
  };
}
