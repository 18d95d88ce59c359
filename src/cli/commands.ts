// Every command, in the order of the help text, and the groups that they belong to. A command that is missing here
// fails `commands.test.ts`.

import { agentsAdd } from './agents/add.ts';
import { agentsInit, agentsList, agentsValidate } from './agents/agents.ts';
import { APPROVAL_COMMANDS } from './approvals.ts';
import { agent } from './chat/agent.ts';
import { chat } from './chat/chat.ts';
import type { CliCommand } from './command.ts';
import { CONFIG_COMMANDS } from './config.ts';
import { contextCheck } from './context/check.ts';
import { contextDiff } from './context/diff.ts';
import { contextExplain } from './context/explain.ts';
import { contextPreview } from './context/preview.ts';
import { contextReport } from './context/report.ts';
import { CRON_COMMANDS } from './cron.ts';
import { DEAD_LETTER_COMMANDS } from './deadletters.ts';
import { doctor } from './gateway/doctor.ts';
import { start } from './gateway/start.ts';
import { status } from './gateway/status.ts';
import { hooksCheck } from './hooks/check.ts';
import { hooksInfo } from './hooks/info.ts';
import { hooksList } from './hooks/list.ts';
import { hooksNew, hooksTest } from './hooks/own-packs.ts';
import { hooksRearm, hooksStatus } from './hooks/status.ts';
import { hooksDisable, hooksEnable } from './hooks/switch-hook.ts';
import { MCP_COMMANDS } from './mcp.ts';
import { PLUGIN_COMMANDS } from './plugins/plugins.ts';
import { ROUTE_COMMANDS } from './route.ts';
import { RUN_COMMANDS } from './run.ts';
import { SESSION_COMMANDS } from './sessions.ts';
import { SKILL_COMMANDS } from './skills.ts';
import { TOOL_COMMANDS } from './tools.ts';
import { tour } from './tour.ts';
import { usage } from './usage.ts';

export const COMMANDS: readonly CliCommand[] = [
  start,
  chat,
  agent,
  status,
  doctor,
  ...SESSION_COMMANDS,
  ...RUN_COMMANDS,
  usage,
  ...APPROVAL_COMMANDS,
  ...DEAD_LETTER_COMMANDS,
  ...CRON_COMMANDS,
  ...[contextPreview, contextReport, contextExplain, contextDiff, contextCheck],
  ...[hooksList, hooksStatus, hooksRearm, hooksInfo, hooksCheck, hooksEnable, hooksDisable, hooksNew, hooksTest],
  ...[agentsAdd, agentsList, agentsInit, agentsValidate],
  ...CONFIG_COMMANDS,
  ...ROUTE_COMMANDS,
  ...TOOL_COMMANDS,
  ...MCP_COMMANDS,
  ...PLUGIN_COMMANDS,
  ...SKILL_COMMANDS,
  tour,
];

/** The first word of a command with two words, and its line in the help. */
export const GROUPS = {
  sessions: 'list conversations, read, end or delete them',
  run: 'look at how a message became an answer',
  approvals: 'look at tool calls that wait for a person, answer them, and revoke rules',
  deadletters: 'look at messages and answers that were given up, send them again or remove them',
  cron: 'keep jobs that agents do by themselves, and see what became of them',
  context: 'see what an agent reads, from whom, and what was left out',
  hooks: 'see, switch, write and test what steps in when a prompt is composed',
  agents: 'add agents, create their workspaces and check them',
  config: 'check the configuration and see what can be set',
  route: 'see which agent and session a message goes to',
  tools: 'see which tools an agent is offered, and why',
  mcp: 'look at the MCP servers, which bring tools, and try them',
  plugins: 'see, install, switch, load again and write plugins',
  skills: 'see, install and remove skills',
} as const;
