// What the session tools share: which sessions they may see, which is decided elsewhere and handed in, and the kinds of
// sessions as models are told of them.

import { clip } from '../protocol/one-line.ts';
import {
  isCronSessionKey,
  isHeartbeatSessionKey,
  isSubagentSessionKey,
  surfaceOfSessionKey,
} from '../protocol/session-key.ts';
import type { Store } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';
import { ToolSessionUnknownError } from './errors.ts';
import type { ToolContext } from './tool.ts';

type Onlooker = Pick<ToolContext, 'agentId' | 'sessionKey'>;

export interface SessionSight {
  /** False where each session sees itself only. */
  readonly reachesOthers: boolean;
  /** The condition that every look at sessions, and at what belongs to them, starts from. */
  scopeOf(onlooker: Onlooker): { readonly agentId: string; readonly sessionKey?: string };
  /** The latest session of a key, or the very one of an id; undefined when there is none or it may not be seen. */
  find(onlooker: Onlooker, keyOrId: string): Promise<SessionRow | undefined>;
}

export interface SessionToolOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly sight: SessionSight;
}

export async function findSession(
  { sight }: SessionToolOptions,
  onlooker: Onlooker,
  keyOrId: string,
): Promise<SessionRow> {
  const session = await sight.find(onlooker, keyOrId);
  if (!session) throw new ToolSessionUnknownError({ session: clip(keyOrId, 200) });
  return session;
}

export const SESSION_KINDS = ['main', 'direct', 'group', 'channel', 'subagent', 'cron', 'heartbeat', 'other'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

export function kindOfSession(sessionKey: string): SessionKind {
  if (isSubagentSessionKey(sessionKey)) return 'subagent';
  if (isCronSessionKey(sessionKey)) return 'cron';
  if (isHeartbeatSessionKey(sessionKey)) return 'heartbeat';
  return surfaceOfSessionKey(sessionKey);
}
