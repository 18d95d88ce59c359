// Every command, in the order of the help text. A new command is a new line.

import type { Command } from 'commander';
import { addAgent } from './agent.ts';
import { addAgentsAdd } from './agents-add.ts';
import { addAgentsInit } from './agents-init.ts';
import { addAgentsList } from './agents-list.ts';
import { addAgentsValidate } from './agents-validate.ts';
import { addChat } from './chat.ts';
import type { CliIo } from './cli-io.ts';
import { addConfigCheck } from './config-check.ts';
import { addConfigSchema } from './config-schema.ts';
import { addContextCheck } from './context-check.ts';
import { addContextDiff } from './context-diff.ts';
import { addContextExplain } from './context-explain.ts';
import { addContextPreview } from './context-preview.ts';
import { addContextReport } from './context-report.ts';
import { addDeadLettersList } from './deadletters-list.ts';
import { addDeadLettersPurge } from './deadletters-purge.ts';
import { addDeadLettersReplay } from './deadletters-replay.ts';
import { addDeadLettersShow } from './deadletters-show.ts';
import type { ExitCode } from './exit-code.ts';
import { addHooksCheck } from './hooks-check.ts';
import { addHooksDisable } from './hooks-disable.ts';
import { addHooksEnable } from './hooks-enable.ts';
import { addHooksInfo } from './hooks-info.ts';
import { addHooksList } from './hooks-list.ts';
import { addHooksNew } from './hooks-new.ts';
import { addHooksTest } from './hooks-test.ts';
import { addRouteExplain } from './route-explain.ts';
import { addRunShow } from './run-show.ts';
import { addSessionsDelete } from './sessions-delete.ts';
import { addSessionsList } from './sessions-list.ts';
import { addSessionsReset } from './sessions-reset.ts';
import { addSessionsShow } from './sessions-show.ts';
import { addStart } from './start.ts';
import { addStatus } from './status.ts';
import { addTour } from './tour.ts';

/** Adds one command to the program. `exit` sets the exit code of a command that ran through. */
export type AddCommand = (program: Command, io: CliIo, exit: (code: ExitCode) => void) => void;

export const COMMANDS: readonly AddCommand[] = [
  addStart,
  addChat,
  addAgent,
  addStatus,
  addSessionsList,
  addSessionsShow,
  addSessionsReset,
  addSessionsDelete,
  addRunShow,
  addDeadLettersList,
  addDeadLettersPurge,
  addDeadLettersReplay,
  addDeadLettersShow,
  addContextPreview,
  addContextReport,
  addContextExplain,
  addContextDiff,
  addContextCheck,
  addHooksList,
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
  addTour,
];

/** The group `name` of the program, made when its first command is added. */
export function group(program: Command, name: string, description: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name).description(description);
}
