// What the agent reads: the composition of its bootstrap files for this session, at the time the run began.

import type { Composition } from '../context/compose.ts';
import { parseSessionKey } from '../protocol/session-key.ts';
import type { DraftMode, RunSubject } from './draft-request.ts';
import type { DraftParts } from './run-parts.ts';

export function composeContext(parts: DraftParts, run: RunSubject, mode: DraftMode): Promise<Composition> {
  // A key that names its channel speaks for itself, wherever the message was typed.
  const isNamed = parseSessionKey(run.sessionKey).channel !== undefined;
  return parts.context.compose({
    agentId: run.agentId,
    sessionKey: run.sessionKey,
    sessionId: run.session.sessionId,
    trigger: run.trigger,
    channel: isNamed ? undefined : { provider: run.inbound.surface.channel },
    at: new Date(run.startedAt),
    runId: run.runId,
    record: mode === 'run',
  });
}
