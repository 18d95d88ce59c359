// The tools that come with the product, as one list, and the form in which a model is told of them.

import type { JsonObject } from '../protocol/json.ts';
import { lineageOf } from '../store/lineage-of.ts';
import type { Store } from '../store/store.ts';
import { createApplyPatchTool } from './apply-patch/apply-patch.ts';
import { type CronToolJobs, createCronTool, NO_CRON_JOBS } from './cron.ts';
import { createEditTool } from './edit.ts';
import {
  type MemoryPolicyOf,
  type MemoryRules,
  type MemorySupplements,
  withheldFiles,
} from './memory/memory-access.ts';
import { createMemoryTools } from './memory/memory-tools.ts';
import { createMessageTool, type MessageSettingsOf } from './message/message.ts';
import { type MessagePort, NO_MESSAGES } from './message/message-port.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { createReadTool, type SkillDirsOf } from './read.ts';
import { createSessionStatusTool } from './session-status.ts';
import type { SessionSight } from './session-tools.ts';
import { createSessionsHistoryTool } from './sessions-history.ts';
import { createSessionsListTool } from './sessions-list.ts';
import { createSessionsSendTool, NO_SESSION_MAIL, type SessionMail } from './sessions-send.ts';
import { createSessionsSpawnTool, NO_SPAWN, type SpawnPort } from './sessions-spawn.ts';
import { createSessionsWaitTool } from './sessions-wait.ts';
import { createSubagentsTool, NO_SUBAGENTS, type SubagentsPort } from './subagents.ts';
import type { Tool, ToolCaller } from './tool.ts';
import { normalizeToolName } from './tool-name.ts';
import { createWebFetchTool, type WebFetchLimits } from './web/web-fetch.ts';
import { createWriteTool } from './write.ts';

export interface ToolsetOptions {
  readonly store: Store;
  readonly now: () => number;
  /** What a leading `~` in a path stands for. */
  readonly home?: string | undefined;
  readonly skillDirsOf?: SkillDirsOf | undefined;
  readonly sessionSight: SessionSight;
  /** Without it tools can be shown, and sessions_send cannot send. */
  readonly sessionMail?: SessionMail | undefined;
  /** Without it tools can be shown, and sessions_spawn cannot spawn. */
  readonly spawning?: SpawnPort | undefined;
  /** Without it tools can be shown, and subagents has none to show. */
  readonly subagents?: (() => SubagentsPort) | undefined;
  /** Without it tools can be shown, and message reaches no channel. */
  readonly messages?: MessagePort | undefined;
  /** By default an agent acts within its own channel. */
  readonly messageSettingsOf?: MessageSettingsOf | undefined;
  /** Without it tools can be shown, and cron keeps nothing. */
  readonly cronJobs?: (() => CronToolJobs) | undefined;
  /** Without it there is no web_fetch. */
  readonly webFetch?: WebFetchLimits | undefined;
  /** What is withheld from children, and where several people read. Without it there are no memory tools. */
  readonly memoryPolicyOf?: MemoryPolicyOf | undefined;
  /** What the memory tools find besides the agent's own notes. */
  readonly memorySupplements?: MemorySupplements | undefined;
}

export interface Toolset {
  readonly tools: readonly Tool[];
  /** Finds a tool by any spelling of its name. */
  find(name: string): Tool | undefined;
}

export function createToolset({
  store,
  now,
  home,
  skillDirsOf,
  sessionSight,
  sessionMail = NO_SESSION_MAIL,
  spawning = NO_SPAWN,
  subagents = NO_SUBAGENTS,
  messages = NO_MESSAGES,
  messageSettingsOf = async () => ({ allowWithinProvider: true, allowAcrossProviders: false }),
  cronJobs = NO_CRON_JOBS,
  webFetch,
  memoryPolicyOf,
  memorySupplements,
}: ToolsetOptions): Toolset {
  const writes = new OneAtATime();
  const rules: MemoryRules | undefined = memoryPolicyOf && {
    policyOf: memoryPolicyOf,
    lineageOf: (sessionKey) => lineageOf(store, sessionKey),
  };
  const withheldOf = rules && ((caller: ToolCaller) => withheldFiles(caller, rules));
  const sessions = { store, now, sight: sessionSight };
  const tools: readonly Tool[] = [
    createReadTool({ home, skillDirsOf, withheldOf }),
    createWriteTool({ writes, home, withheldOf }),
    createEditTool({ writes, home, withheldOf }),
    createApplyPatchTool({ writes, withheldOf }),
    createSessionStatusTool(sessions),
    createSessionsListTool(sessions),
    createSessionsHistoryTool(sessions),
    createSessionsSendTool({ ...sessions, mail: sessionMail }),
    createSessionsSpawnTool({ port: spawning }),
    createMessageTool({ port: messages, sight: sessionSight, settingsOf: messageSettingsOf, home, withheldOf }),
    createSessionsWaitTool({ store }),
    createSubagentsTool({ port: subagents }),
    createCronTool({ jobs: cronJobs }),
    ...(webFetch ? [createWebFetchTool({ ...webFetch, now })] : []),
    ...(rules ? createMemoryTools({ rules, now, supplements: memorySupplements }) : []),
  ];
  return {
    tools,
    find: (name) => tools.find((tool) => normalizeToolName(tool.name) === normalizeToolName(name)),
  };
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly strict?: true | undefined;
}

/**
 * By name, whatever order they were registered in: they stand at the very beginning of what a provider caches. Runs are
 * offered the same tools time and again; equal lists are the same list, so that what is made from one can be kept with it.
 */
export function toolSpecs(tools: readonly Tool[]): readonly ToolSpec[] {
  const known = KNOWN_SPECS.find(({ from }) => isMadeFrom(from, tools));
  if (known) return known.specs;
  const from = tools.map(specOf);
  const specs = from.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  KNOWN_SPECS.unshift({ from, specs });
  KNOWN_SPECS.length = Math.min(KNOWN_SPECS.length, MOST_LISTS);
  return specs;
}

const MOST_LISTS = 16;
const KNOWN_SPECS: { readonly from: readonly ToolSpec[]; readonly specs: readonly ToolSpec[] }[] = [];

function isMadeFrom(specs: readonly ToolSpec[], tools: readonly Tool[]): boolean {
  return (
    specs.length === tools.length &&
    specs.every(({ name, description, parameters, strict }, index) => {
      const tool = tools[index];
      const isSame = tool?.parameters === parameters && tool.name === name && tool.description === description;
      return isSame && Boolean(tool.strict) === Boolean(strict);
    })
  );
}

function specOf({ name, description, parameters, strict }: Tool): ToolSpec {
  return { name, description, parameters, ...(strict && { strict }) };
}
