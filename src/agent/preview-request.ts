// The request that a message would cause, byte for byte, without sending it: the same draft as a run's, serialised by
// the model itself. Nothing is written, bound or consumed.

import type { WireRequest } from '../models/model.ts';
import type { Inbound } from '../protocol/inbound.ts';
import { startsOver } from '../sessions/end-session.ts';
import { loadSession } from '../sessions/open-session.ts';
import { fitPreview } from './compaction/fit-request.ts';
import { draftRequest, type RunSubject } from './draft-request.ts';
import { historyOf } from './history-of.ts';
import type { RequestDraft } from './request-draft.ts';
import { runHookContext } from './run-hook-context.ts';
import type { DraftParts } from './run-parts.ts';

export interface PreviewedRequest {
  readonly draft: RequestDraft;
  readonly wire: WireRequest;
}

export async function previewRequest(
  parts: DraftParts,
  about: {
    readonly agentId: string;
    readonly sessionKey: string;
    readonly inbound: Inbound;
    /** The words for the agent. */
    readonly text: string;
    /** The session would be ended first. */
    readonly reset: 'new' | 'reset' | undefined;
    readonly at: number;
    /** Also runs hooks that are not declared pure. */
    readonly runHooks: boolean;
    readonly signal: AbortSignal;
  },
): Promise<PreviewedRequest> {
  const { agentId, sessionKey, inbound, at, signal } = about;
  const { plan, entries } = await loadSession(parts, {
    agentId,
    sessionKey,
    surface: inbound.surface,
    now: at,
    reset: about.reset,
  });
  const runId = 'run_preview';
  const past = historyOf(entries);
  const run: RunSubject = {
    runId,
    agentId,
    sessionKey,
    session: plan.session,
    inbound,
    text: about.text,
    trigger: 'user',
    history: past.map(({ message }) => message),
    past,
    startedAt: at,
    wouldStartOver: startsOver(plan.ended?.reason),
    signal,
    context: runHookContext({
      runId,
      sessionKey: plan.session.sessionKey,
      sessionId: plan.session.sessionId,
      workspaceDir: parts.context.workspaceDirOf(agentId),
      agentId,
      isRecovered: false,
      kind: 'message',
      payload: { agentId, inbound },
    }),
  };
  const draft = await fitPreview(
    parts,
    run,
    await draftRequest(parts, run, about.runHooks ? 'preview-all' : 'preview'),
  );
  return { draft, wire: await draft.model.prepare(draft.request) };
}
