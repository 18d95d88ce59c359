// Every command, in the order of the help text. A new command is a new line.

import type { Command } from 'commander';
import type { CliIo } from './cli-io.ts';
import { addContextPreview } from './context-preview.ts';
import type { ExitCode } from './exit-code.ts';

/** Adds one command to the program. `exit` sets the exit code of a command that ran through. */
export type AddCommand = (program: Command, io: CliIo, exit: (code: ExitCode) => void) => void;

export const COMMANDS: readonly AddCommand[] = [addContextPreview];

/** The group `name` of the program, made when its first command is added. */
export function group(program: Command, name: string, description: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name).description(description);
}
