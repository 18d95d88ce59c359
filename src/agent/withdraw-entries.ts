// Removes the messages of a heartbeat from the conversation when the heartbeat had nothing to report: no later request
// contains them, so that a session does not fill up with empty heartbeats. The run itself and its requests are kept
// like any other's.

import type { Write } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';

export interface WithdrawnRun {
  readonly runId: string;
  readonly session: Pick<SessionRow, 'sessionId'>;
}

/** What tools did stays readable for people. */
export function withdrawEntries({ session, runId }: WithdrawnRun, toolCalls: number): Write {
  const where = { sessionId: session.sessionId, runId, kind: 'message' };
  return toolCalls === 0 ? { remove: 'transcript', where } : { update: 'transcript', where, set: { kind: 'notice' } };
}
