// Where a list of tools begins: four sets by name. A name that is none of them says nothing at all, as existing homes
// expect; `listPolicyOddities` tells the operator about it.

import { MCP_OWNER, TOOL_GROUPS } from './tool-groups.ts';
import type { ToolLists } from './tool-lists.ts';

const group = (name: string): readonly string[] => TOOL_GROUPS.get(`group:${name}`) ?? [];

const PROFILES: ReadonlyMap<string, readonly string[]> = new Map([
  ['minimal', ['session_status']],
  [
    'coding',
    [
      ...['fs', 'runtime', 'web', 'memory', 'sessions'].flatMap(group),
      'cron',
      'update_plan',
      ...group('media').filter((name) => name !== 'tts'),
      MCP_OWNER,
    ],
  ],
  ['messaging', ['sessions_list', 'sessions_history', 'sessions_send', 'session_status', 'message', MCP_OWNER]],
  ['full', ['*']],
]);

export const PROFILE_NAMES: readonly string[] = [...PROFILES.keys()];

/** Names are taken as they are written, upper and lower case included. */
export function resolveToolProfile(name: string | undefined): ToolLists | undefined {
  const allow = name === undefined ? undefined : PROFILES.get(name);
  return allow && { allow };
}
