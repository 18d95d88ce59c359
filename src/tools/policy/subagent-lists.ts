// What a subagent does not have by itself. It works for another run: it does not manage the gateway, does not schedule
// and does not speak to other sessions; and one that may not spawn has no use for the tools around spawning. The operator
// lifts any of it by name.

import type { ToolSection } from '../../protocol/tool-section.ts';
import { normalizeToolName } from '../tool-name.ts';
import type { ToolLists } from './tool-lists.ts';

export interface SubagentFacts {
  /** 1 for a subagent of a person's session, 2 for a subagent of that, and so on. */
  readonly depth: number;
  /** How deep subagents may be; the deepest spawn none. */
  readonly maxSpawnDepth: number;
  /** What `tools.subagents.tools` says. */
  readonly written?: Pick<ToolSection, 'allow' | 'alsoAllow' | 'deny'> | undefined;
}

const DENIED_TO_ALL = ['gateway', 'agents_list', 'session_status', 'cron', 'sessions_send'];
const DENIED_TO_LEAVES = ['subagents', 'sessions_list', 'sessions_history', 'sessions_spawn'];

export function subagentLists({ depth, maxSpawnDepth, written = {} }: SubagentFacts): ToolLists {
  const { allow, alsoAllow = [], deny = [] } = written;
  const lifted = new Set([...(allow ?? []), ...alsoAllow].map(normalizeToolName));
  const own = depth >= maxSpawnDepth ? [...DENIED_TO_ALL, ...DENIED_TO_LEAVES] : DENIED_TO_ALL;
  return {
    ...(allow && { allow: [...new Set([...allow, ...alsoAllow])] }),
    deny: [...own.filter((name) => !lifted.has(name)), ...deny],
  };
}
