// The ids of a run, for the lines of the log that are about it.

import type { LogFields } from '../protocol/log.ts';
import type { OpenRun } from './open-run.ts';

export function idsOf({
  runId,
  sessionKey,
  agentId,
}: Pick<OpenRun, 'runId' | 'sessionKey' | 'agentId'>): Pick<LogFields, 'runId' | 'sessionKey' | 'agentId'> {
  return { runId, sessionKey, agentId };
}
