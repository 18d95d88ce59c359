// Runs one command line and returns its exit code. Errors that Atrium raises on purpose are one sentence; anything
// else is a bug, and only then is there a stack to read.

import { Command, CommanderError } from 'commander';
import { isAtriumError } from '../protocol/errors.ts';
import { VERSION } from '../protocol/version.ts';
import type { CliIo } from './cli-io.ts';
import { COMMANDS } from './commands.ts';
import { EXIT, type ExitCode } from './exit-code.ts';

export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const program = createProgram(io, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.failure;
    io.err(isAtriumError(error) ? `atrium: ${error.message}\n` : bugReport(error));
    return EXIT.failure;
  }
}

function createProgram(io: CliIo, exit: (code: ExitCode) => void): Command {
  const program = new Command('atrium')
    .description('A self-hosted gateway for AI agents that you can see through.')
    .version(VERSION)
    .option('--profile <name>', 'use the state directory of this profile')
    .showHelpAfterError('Run with --help to see what is possible.')
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .exitOverride();
  for (const addCommand of COMMANDS) addCommand(program, io, exit);
  inheritSettings(program);
  return program;
}

/** Sub-commands made by hand do not take over how their parent writes and exits. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    inheritSettings(child);
  }
}

function bugReport(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `atrium: something unexpected happened. Please report it with these lines:\n${stack}\n`;
}
