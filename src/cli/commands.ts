// Every command, in the order of the help text. A new command is a new line.

import type { Command } from 'commander';
import { addAgentsAdd } from './agents/add.ts';
import { addAgentsInit } from './agents/init.ts';
import { addAgentsList } from './agents/list.ts';
import { addAgentsValidate } from './agents/validate.ts';
import { addApprovalsAnswer } from './approvals-answer.ts';
import { addApprovalsList } from './approvals-list.ts';
import { addApprovalsRevoke } from './approvals-revoke.ts';
import { addApprovalsRules } from './approvals-rules.ts';
import { addAgent } from './chat/agent.ts';
import { addChat } from './chat/chat.ts';
import type { CliIo } from './cli-io.ts';
import { addConfigCheck } from './config-check.ts';
import { addConfigSchema } from './config-schema.ts';
import { addContextCheck } from './context/check.ts';
import { addContextDiff } from './context/diff.ts';
import { addContextExplain } from './context/explain.ts';
import { addContextPreview } from './context/preview.ts';
import { addContextReport } from './context/report.ts';
import { addCronAdd } from './cron-add.ts';
import { addCronEdit } from './cron-edit.ts';
import { addCronHistory } from './cron-history.ts';
import { addCronList } from './cron-list.ts';
import { addCronRm } from './cron-rm.ts';
import { addCronRun } from './cron-run.ts';
import { addDeadLettersList } from './deadletters-list.ts';
import { addDeadLettersPurge } from './deadletters-purge.ts';
import { addDeadLettersReplay } from './deadletters-replay.ts';
import { addDeadLettersShow } from './deadletters-show.ts';
import type { ExitCode } from './exit-code.ts';
import { addDoctor } from './gateway/doctor.ts';
import { addStart } from './gateway/start.ts';
import { addStatus } from './gateway/status.ts';
import { addHooksCheck } from './hooks/check.ts';
import { addHooksInfo } from './hooks/info.ts';
import { addHooksList } from './hooks/list.ts';
import { addHooksNew } from './hooks/new.ts';
import { addHooksStatus } from './hooks/status.ts';
import { addHooksTest } from './hooks/test-pack.ts';
import { addHooksDisable } from './hooks-disable.ts';
import { addHooksEnable } from './hooks-enable.ts';
import { addHooksRearm } from './hooks-rearm.ts';
import { addMcpList } from './mcp-list.ts';
import { addMcpTest } from './mcp-test.ts';
import { addPluginsInspect } from './plugins/inspect.ts';
import { addPluginsInstall } from './plugins/install.ts';
import { addPluginsNew } from './plugins/new.ts';
import { addPluginsUninstall } from './plugins/uninstall.ts';
import { addPluginsDisable } from './plugins-disable.ts';
import { addPluginsEnable } from './plugins-enable.ts';
import { addPluginsList } from './plugins-list.ts';
import { addPluginsReload } from './plugins-reload.ts';
import { addPluginsTest } from './plugins-test.ts';
import { addRouteExplain } from './route-explain.ts';
import { addRunShow } from './run-show.ts';
import { addSessionsDelete } from './sessions-delete.ts';
import { addSessionsList } from './sessions-list.ts';
import { addSessionsReset } from './sessions-reset.ts';
import { addSessionsShow } from './sessions-show.ts';
import { addSkillsInstall } from './skills-install.ts';
import { addSkillsList } from './skills-list.ts';
import { addSkillsUninstall } from './skills-uninstall.ts';
import { addToolsExplain } from './tools-explain.ts';
import { addToolsList } from './tools-list.ts';
import { addTour } from './tour.ts';
import { addUsage } from './usage.ts';

/** Adds one command to the program. `exit` sets the exit code of a command that ran through. */
export type AddCommand = (program: Command, io: CliIo, exit: (code: ExitCode) => void) => void;

export const COMMANDS: readonly AddCommand[] = [
  addStart,
  addChat,
  addAgent,
  addStatus,
  addDoctor,
  addSessionsList,
  addSessionsShow,
  addSessionsReset,
  addSessionsDelete,
  addRunShow,
  addUsage,
  addApprovalsList,
  addApprovalsAnswer,
  addApprovalsRules,
  addApprovalsRevoke,
  addDeadLettersList,
  addDeadLettersPurge,
  addDeadLettersReplay,
  addDeadLettersShow,
  addCronList,
  addCronAdd,
  addCronEdit,
  addCronRm,
  addCronRun,
  addCronHistory,
  addContextPreview,
  addContextReport,
  addContextExplain,
  addContextDiff,
  addContextCheck,
  addHooksList,
  addHooksStatus,
  addHooksRearm,
  addHooksInfo,
  addHooksCheck,
  addHooksEnable,
  addHooksDisable,
  addHooksNew,
  addHooksTest,
  addAgentsAdd,
  addAgentsList,
  addAgentsInit,
  addAgentsValidate,
  addConfigCheck,
  addConfigSchema,
  addRouteExplain,
  addToolsExplain,
  addToolsList,
  addMcpList,
  addMcpTest,
  addPluginsList,
  addPluginsInspect,
  addPluginsEnable,
  addPluginsDisable,
  addPluginsReload,
  addPluginsInstall,
  addPluginsUninstall,
  addPluginsNew,
  addPluginsTest,
  addSkillsList,
  addSkillsInstall,
  addSkillsUninstall,
  addTour,
];

/** The group `name` of the program, made when its first command is added. */
export function group(program: Command, name: string, description: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name).description(description);
}
