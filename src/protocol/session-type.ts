// The kind of run that a prompt is composed for. It is derived from the session key and the trigger, never guessed from
// text.

import { isCronSessionKey, isHeartbeatSessionKey, isSubagentSessionKey } from './session-key.ts';

export const SESSION_TYPES = ['interactive', 'subagent', 'scheduled', 'ci'] as const;
export type SessionType = (typeof SESSION_TYPES)[number];

/** What started the run. A heartbeat is scheduled, yet it is not filtered like a cron job: it needs HEARTBEAT.md. */
const TRIGGERS = ['user', 'cron', 'heartbeat', 'spawn', 'manual'] as const;
export type Trigger = (typeof TRIGGERS)[number];

export interface SessionTypeFacts {
  readonly sessionKey?: string | undefined;
  readonly trigger?: Trigger | undefined;
  /** True when the environment or the configuration says that this process runs in a pipeline. */
  readonly ci?: boolean | undefined;
}

/** The key decides before the trigger, and both before the environment: a subagent in CI is still a subagent. */
export function resolveSessionType(facts: SessionTypeFacts): SessionType {
  const { sessionKey, trigger } = facts;
  if (isSubagentSessionKey(sessionKey) || trigger === 'spawn') return 'subagent';
  if (isCronSessionKey(sessionKey) || isHeartbeatSessionKey(sessionKey)) return 'scheduled';
  if (trigger === 'cron' || trigger === 'heartbeat') return 'scheduled';
  return facts.ci ? 'ci' : 'interactive';
}
