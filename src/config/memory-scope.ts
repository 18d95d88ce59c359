// Whether `memory.qmd.scope` keeps the memory tools from a session: the first rule that is about the session decides, then
// the default. A conversation that is neither a group nor a channel counts as direct, and a subagent's session as none of
// them. It is pure.

import { isSubagentSessionKey } from '../protocol/session-key.ts';
import type { Config } from './schema.ts';
import { chatTypeOf, isAbout } from './send-policy.ts';

export type MemoryScope = NonNullable<NonNullable<NonNullable<Config['memory']>['qmd']>['scope']>;

/** Without a session, only the default decides. */
export function isMemoryDenied(scope: MemoryScope | undefined, sessionKey: string | undefined): boolean {
  if (scope === undefined) return false;
  const isChild = isSubagentSessionKey(sessionKey);
  const session = { sessionKey: sessionKey ?? '', channel: isChild ? undefined : channelOf(sessionKey ?? '') };
  const kindOf = (key: string) => (isChild || key === '' ? undefined : (chatTypeOf(key) ?? 'direct'));
  const rule = (scope.rules ?? []).find(({ match }) => isAbout(match ?? {}, session, kindOf));
  return (rule?.action ?? scope.default ?? 'allow') === 'deny';
}

/** A key such as `agent:main:web:direct:tab` begins with its channel, behind the agent. */
function channelOf(sessionKey: string): string | undefined {
  const [channel, kind = ''] = sessionKey
    .toLowerCase()
    .replace(/^agent:[^:]*:/, '')
    .split(':');
  return ['group', 'channel', 'direct', 'dm'].includes(kind) ? channel : undefined;
}
