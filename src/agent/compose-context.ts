// What the agent reads: the composition of its bootstrap files for this session, at the time the run began.

import type { Composition } from '../context/compose.ts';
import { parseSessionKey } from '../protocol/session-key.ts';
import type { DraftMode, TurnSubject } from './draft-request.ts';
import type { DraftParts } from './run-parts.ts';

export function composeContext(parts: DraftParts, turn: TurnSubject, mode: DraftMode): Promise<Composition> {
  // A key that names its channel speaks for itself, wherever the message was typed.
  const isNamed = parseSessionKey(turn.sessionKey).channel !== undefined;
  return parts.context.compose({
    agentId: turn.agentId,
    sessionKey: turn.sessionKey,
    sessionId: turn.session.sessionId,
    trigger: turn.trigger,
    channel: isNamed ? undefined : { provider: turn.inbound.surface.channel },
    at: new Date(turn.startedAt),
    runId: turn.runId,
    record: mode === 'run',
  });
}
