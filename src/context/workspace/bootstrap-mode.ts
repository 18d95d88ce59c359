// How far a run takes part in the first run. These are pure look-ups: the caller finds out whether a first run is
// pending, and what kind of run this is.

import { isAcpSessionKey, isSubagentSessionKey } from '../../protocol/session-key.ts';
import type { SessionType, Trigger } from '../../protocol/session-type.ts';
import { carriesFirstRun } from '../taxonomy.ts';
import type { FirstRunStatus } from './workspace-state.ts';

/** `full` follows BOOTSTRAP.md, `limited` can only say that a first run is due, `none` knows nothing of it. */
export type BootstrapMode = 'full' | 'limited' | 'none';

export interface BootstrapModeFacts {
  readonly bootstrapPending: boolean;
  readonly runKind?: 'default' | 'heartbeat' | 'cron' | (string & {}) | undefined;
  readonly isPrimaryRun: boolean;
  readonly isInteractiveUserFacing: boolean;
  readonly hasBootstrapFileAccess: boolean;
  readonly isCanonicalWorkspace: boolean;
}

export function resolveBootstrapMode(facts: BootstrapModeFacts): BootstrapMode {
  if (!facts.bootstrapPending) return 'none';
  if (facts.runKind === 'heartbeat' || facts.runKind === 'cron') return 'none';
  if (!facts.isPrimaryRun || !facts.isInteractiveUserFacing) return 'none';
  return facts.hasBootstrapFileAccess && facts.isCanonicalWorkspace ? 'full' : 'limited';
}

export interface FirstRunFacts {
  readonly status: FirstRunStatus;
  readonly sessionType: SessionType;
  readonly sessionKey?: string | undefined;
  readonly trigger?: Trigger | undefined;
}

/** True for every prompt in which a person meets the agent itself, until its first run is complete. */
export function belongsInFirstRun(facts: FirstRunFacts): boolean {
  const mode = resolveBootstrapMode({
    bootstrapPending: facts.status === 'pending',
    isPrimaryRun: !isSubagentSessionKey(facts.sessionKey) && !isAcpSessionKey(facts.sessionKey),
    isInteractiveUserFacing:
      carriesFirstRun(facts.sessionType) && [undefined, 'user', 'manual'].includes(facts.trigger),
    hasBootstrapFileAccess: true,
    isCanonicalWorkspace: true,
  });
  return mode === 'full';
}
