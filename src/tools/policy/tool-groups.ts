// The tools that configurations know by name, in groups, and lists of names with their groups written out. Not every one
// of them exists here: an existing home may name them all the same, and a plugin may bring one.

import { words } from '../../protocol/words.ts';
import { normalizeToolName } from '../tool-name.ts';

/** What tools of MCP servers carry as their owner; lists name them all by it. */
export const MCP_OWNER = 'bundle-mcp';

/** Every tool that plugins and MCP servers bring, which differs from home to home. */
export const PLUGIN_GROUP = 'group:plugins';

const SECTIONS = {
  fs: words('read write edit apply_patch'),
  runtime: words('exec process code_execution'),
  web: words('web_search web_fetch x_search'),
  memory: words('memory_search memory_get'),
  sessions: words(
    'sessions_list sessions_history sessions_send sessions_spawn sessions_yield subagents session_status',
  ),
  ui: words('browser canvas'),
  messaging: words('message'),
  automation: words('heartbeat_respond cron gateway'),
  nodes: words('nodes'),
  agents: words('agents_list update_plan'),
  media: words('image image_generate music_generate video_generate tts'),
};

/** The group of the whole product leaves out what every coding agent has anyway. */
const OUTSIDE_OPENCLAW: ReadonlySet<string> = new Set([...SECTIONS.fs, 'exec', 'process', 'canvas']);

const GROUPED_NAMES = Object.values(SECTIONS).flat();

/**
 * Tools that are in no group, because the groups are those of OpenClaw. A list that names the other tool means them too:
 * where no subagent can be spawned, there is none to wait for.
 */
export const COMPANIONS: ReadonlyMap<string, string> = new Map([['sessions_wait', 'sessions_spawn']]);

export const KNOWN_TOOL_NAMES: readonly string[] = [...GROUPED_NAMES, ...COMPANIONS.keys()];

export const TOOL_GROUPS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...Object.entries(SECTIONS).map(([section, names]): [string, readonly string[]] => [`group:${section}`, names]),
  ['group:openclaw', GROUPED_NAMES.filter((name) => !OUTSIDE_OPENCLAW.has(name))],
]);

/** Names in one spelling, each once, groups written out. An unknown group stays as it is. */
export function expandToolGroups(list: readonly string[] = []): readonly string[] {
  const names = list.filter((entry) => entry.trim() !== '').map(normalizeToolName);
  return [...new Set(names.flatMap((name) => TOOL_GROUPS.get(name) ?? [name]))];
}

/** The groups that have the tool, without the one of the whole product. */
export function groupsOf(name: string): readonly string[] {
  const plain = normalizeToolName(name);
  return Object.entries(SECTIONS).flatMap(([section, names]) => (names.includes(plain) ? [`group:${section}`] : []));
}
