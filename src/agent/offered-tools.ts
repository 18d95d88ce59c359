// The tools that a run may call, and in which name it calls them.

import { requesterOf } from '../protocol/requester.ts';
import type { Tool, ToolCaller } from '../tools/tool.ts';
import { clientTools, withClientTools } from './client-tools.ts';
import type { Conversation } from './conversation.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';

/** The tools that the model was shown, without those that the policy no longer allows. */
export async function offeredTools(
  parts: RunParts,
  run: OpenRun,
  { model, frame }: Conversation,
): Promise<readonly Tool[]> {
  const { agentId, sessionKey, inbound } = run;
  const { sessionId } = run.session;
  const { provider } = model;
  const requester = requesterOf(inbound);
  const told = new Set(frame.tools.map(({ name }) => name));
  const tools = await parts.tools({ agentId, sessionKey, sessionId, requester, provider, model: model.model });
  return withClientTools(clientTools(parts, run.client), tools).filter(({ name }) => told.has(name));
}

export function toolCallerOf(
  { agentId, sessionKey, session, runId, workspaceDir, inbound }: OpenRun,
  toolCallId: string,
): ToolCaller {
  return {
    agentId,
    sessionKey,
    sessionId: session.sessionId,
    runId,
    toolCallId,
    workspaceDir,
    requester: requesterOf(inbound),
    surface: inbound.surface,
  };
}
