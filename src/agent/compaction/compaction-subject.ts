// A conversation that is too long, or that a person wants to be shorter, with the numbers that decide how. A run, a
// preview and /compact all measure it here, so that they come to the same result.

import type { Model, ModelRequest } from '../../models/model.ts';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import type { Message } from '../../protocol/message.ts';
import type { TranscriptRow } from '../../store/tables.ts';
import type { RunSubject } from '../draft-request.ts';
import { historyOf, toldEntries } from '../history-of.ts';
import type { DraftParts } from '../run-parts.ts';
import { boundsOf, type CompactionCause } from './compaction-facts.ts';
import { type CompactionPlan, planCompaction } from './plan-compaction.ts';
import { limitsOf, type SizeLimits, scaleOf, tokensOfFrame, tokensOfMessage } from './request-size.ts';

export interface CompactionSubject {
  readonly why: CompactionCause;
  readonly model: Model;
  readonly system: ModelRequest['system'];
  /** The run that sends the request; undefined in a preview, which has no run yet. */
  readonly runId?: string | undefined;
  /** All entries of the session, in order. */
  readonly entries: readonly TranscriptRow[];
  readonly limits: SizeLimits;
  /** The size of the request without the entries, as the provider counts. */
  readonly fixedTokens: number;
  readonly saidTokens: number;
  readonly scale: number;
  /** Entries from this position on must not be summarised. */
  readonly before?: number | undefined;
  readonly keepRecentTokens: number;
  readonly summaryTokens: number;
  /** The session's bootstrap files, for pins. */
  readonly files: () => Promise<readonly WorkspaceBootstrapFile[]>;
}

export async function measureConversation(
  parts: DraftParts,
  run: Pick<RunSubject, 'agentId' | 'sessionKey' | 'session' | 'runId'>,
  about: {
    readonly why: CompactionCause;
    readonly model: Model;
    readonly frame: Pick<ModelRequest, 'system' | 'tools'>;
    readonly entries: readonly TranscriptRow[];
    /** Messages of the request that are not entries of the transcript. */
    readonly besides: readonly Message[];
    readonly before?: number | undefined;
    readonly files: CompactionSubject['files'];
  },
): Promise<CompactionSubject> {
  const { why, model, frame, entries, besides, before, files } = about;
  const { agentId, sessionKey, session, runId } = run;
  const settings = parts.compaction(agentId);
  const limits = limitsOf(model, settings);
  const frameTokens = tokensOfFrame(frame);
  const scale = await scaleOf(parts.store, { sessionKey, sessionId: session.sessionId, model, frameTokens, entries });
  const tokensOf = (messages: readonly Message[]) =>
    messages.reduce((sum, message) => sum + tokensOfMessage(message), 0) * scale;
  return {
    why,
    model,
    system: frame.system,
    runId,
    entries,
    limits,
    fixedTokens: frameTokens * scale + tokensOf(besides),
    saidTokens: tokensOf(historyOf(entries, runId).map(({ message }) => message)),
    scale,
    before,
    keepRecentTokens: settings.keepRecentTokens ?? limits.window / 4,
    summaryTokens: Math.round(Math.min(MOST_SUMMARY_TOKENS, Math.max(LEAST_SUMMARY_TOKENS, limits.window / 20))),
    files,
  };
}

const LEAST_SUMMARY_TOKENS = 200;
const MOST_SUMMARY_TOKENS = 4_000;

export function isTooLong({ fixedTokens, saidTokens, limits }: CompactionSubject): boolean {
  return fixedTokens + saidTokens > limits.limit;
}

export function planFor(subject: CompactionSubject): CompactionPlan | undefined {
  const { entries, limits, runId } = subject;
  const earlier = entries.findLast(({ kind }) => kind === 'compaction');
  return planCompaction(toldEntries(entries, runId), earlier && boundsOf(earlier), { ...subject, limit: limits.limit });
}
