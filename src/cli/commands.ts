// Every command, in the order of the help text. A command that is missing here fails `commands.test.ts`.

import { agentsAdd } from './agents/add.ts';
import { agentsInit, agentsList, agentsValidate } from './agents/agents.ts';
import { APPROVAL_COMMANDS } from './approvals.ts';
import { CACHE_COMMANDS } from './cache.ts';
import { CHANNEL_COMMANDS } from './channels.ts';
import { channelsTry } from './channels-try.ts';
import { agent } from './chat/agent.ts';
import { chat } from './chat/chat.ts';
import type { CliCommand } from './command.ts';
import { COMPLETION_COMMANDS } from './completion/completion.ts';
import { CONFIG_COMMANDS } from './config/config.ts';
import { contextCheck } from './context/check.ts';
import { contextDiff } from './context/diff.ts';
import { contextExplain } from './context/explain.ts';
import { CONTEXT_FILE_COMMANDS } from './context/files.ts';
import { contextPreview } from './context/preview.ts';
import { contextReport } from './context/report.ts';
import { CRON_COMMANDS } from './cron.ts';
import { DEAD_LETTER_COMMANDS } from './deadletters.ts';
import { DEBUG_COMMANDS } from './debug.ts';
import { docs } from './docs.ts';
import { doctor } from './gateway/doctor.ts';
import { start } from './gateway/start.ts';
import { status } from './gateway/status.ts';
import { restart, stop } from './gateway/stop.ts';
import { hooksCheck } from './hooks/check.ts';
import { hooksInfo } from './hooks/info.ts';
import { hooksList } from './hooks/list.ts';
import { hooksNew, hooksTest } from './hooks/own-packs.ts';
import { hooksRearm, hooksStatus } from './hooks/status.ts';
import { hooksDisable, hooksEnable } from './hooks/switch-hook.ts';
import { importOpenClawCommand } from './import.ts';
import { logs } from './logs.ts';
import { MCP_COMMANDS } from './mcp.ts';
import { MODEL_COMMANDS } from './models.ts';
import { NODE_COMMANDS } from './nodes.ts';
import { onboard } from './onboard/onboard.ts';
import { PAIRING_COMMANDS } from './pairing.ts';
import { PLUGIN_COMMANDS } from './plugins/plugins.ts';
import { prune } from './prune.ts';
import { receipts } from './receipts.ts';
import { runReplay } from './replay/run-replay.ts';
import { runsReplay } from './replay/runs-replay.ts';
import { ROUTE_COMMANDS } from './route.ts';
import { RUN_COMMANDS } from './run.ts';
import { SERVICE_COMMANDS } from './service/service.ts';
import { SESSION_COMMANDS } from './sessions.ts';
import { SKILL_COMMANDS } from './skills.ts';
import { STORE_COMMANDS } from './store/store.ts';
import { SUBAGENT_COMMANDS } from './subagents.ts';
import { TOOL_COMMANDS } from './tools.ts';
import { tour } from './tour.ts';
import { TRAJECTORY_COMMANDS } from './trajectory.ts';
import { update } from './update.ts';
import { usage } from './usage.ts';

export const COMMANDS: readonly CliCommand[] = [
  onboard,
  start,
  stop,
  restart,
  chat,
  agent,
  status,
  doctor,
  logs,
  ...NODE_COMMANDS,
  ...SESSION_COMMANDS,
  ...RUN_COMMANDS,
  ...[runReplay, runsReplay],
  receipts,
  ...SUBAGENT_COMMANDS,
  usage,
  ...CACHE_COMMANDS,
  ...DEBUG_COMMANDS,
  ...TRAJECTORY_COMMANDS,
  prune,
  ...STORE_COMMANDS,
  ...CHANNEL_COMMANDS,
  channelsTry,
  ...APPROVAL_COMMANDS,
  ...PAIRING_COMMANDS,
  ...DEAD_LETTER_COMMANDS,
  ...CRON_COMMANDS,
  ...[contextPreview, contextReport, contextExplain, contextDiff, contextCheck],
  ...CONTEXT_FILE_COMMANDS,
  ...[hooksList, hooksStatus, hooksRearm, hooksInfo, hooksCheck, hooksEnable, hooksDisable, hooksNew, hooksTest],
  ...[agentsAdd, agentsList, agentsInit, agentsValidate],
  ...CONFIG_COMMANDS,
  ...MODEL_COMMANDS,
  importOpenClawCommand,
  ...ROUTE_COMMANDS,
  ...TOOL_COMMANDS,
  ...MCP_COMMANDS,
  ...PLUGIN_COMMANDS,
  ...SKILL_COMMANDS,
  tour,
  ...SERVICE_COMMANDS,
  docs,
  update,
  ...COMPLETION_COMMANDS,
];
