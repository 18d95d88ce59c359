// The request that a message would cause, byte for byte, without sending it: the same draft as a run's, serialised by
// the model itself. Nothing is written, bound or consumed.

import type { WireRequest } from '../models/model.ts';
import type { Inbound } from '../protocol/inbound.ts';
import { startsOver } from '../sessions/end-session.ts';
import { loadSession } from '../sessions/open-session.ts';
import type { ClientRequest } from '../store/tables.ts';
import { fitPreview } from './compaction/fit-request.ts';
import { scaleOf, tokensOfFrame } from './compaction/request-size.ts';
import { draftRequest, type RunSubject } from './draft-request.ts';
import { historyOf } from './history-of.ts';
import { measureRequest, type RequestMeasure, requestLimits } from './measure-request.ts';
import type { PastEntry } from './message-spans.ts';
import type { RequestDraft } from './request-draft.ts';
import { type ToldSpan, withTexts } from './request-text.ts';
import { requirePlugins } from './require-plugins.ts';
import { runHookContext } from './run-hook-context.ts';
import type { DraftParts } from './run-parts.ts';
import { findChild } from './subagents/find-child.ts';
import { threadHistory } from './thread-history.ts';

export interface PreviewedRequest {
  readonly draft: RequestDraft;
  readonly wire: WireRequest;
  /** The author of each part of the body's texts, in the order of the body. */
  readonly spans: readonly ToldSpan[];
  /** What the request is made of, and how much of the model's window it leaves. */
  readonly measure: RequestMeasure;
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
    /** The tools that an API client would bring. */
    readonly client?: ClientRequest | undefined;
    readonly signal: AbortSignal;
  },
): Promise<PreviewedRequest> {
  const { agentId, sessionKey, inbound, at, signal } = about;
  requirePlugins(parts);
  const { plan, entries } = await loadSession(parts, {
    agentId,
    sessionKey,
    surface: inbound.surface,
    now: at,
    reset: about.reset,
  });
  const runId = 'run_preview';
  const { session } = plan;
  const past: readonly PastEntry[] = [
    ...historyOf(entries),
    ...(await threadHistory(parts.threadHistory, { inbound, kind: 'message', session, entries })),
  ];
  const run: RunSubject = {
    runId,
    agentId,
    sessionKey,
    session: plan.session,
    child: await findChild(parts.store, sessionKey),
    inbound,
    text: about.text,
    client: about.client,
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
  const spans = withTexts(draft.spans, draft.request);
  const { sessionId } = plan.session;
  const frameTokens = tokensOfFrame(draft.request);
  const measure = measureRequest({
    spans,
    messageIndex: draft.request.messages.length - 1,
    limits: requestLimits(draft.model, parts.compaction(agentId)),
    scale: await scaleOf(parts.store, { sessionKey, sessionId, model: draft.model, frameTokens, entries }),
  });
  return { draft, wire: await draft.model.prepare(draft.request), spans, measure };
}
