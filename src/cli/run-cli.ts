// Runs one command line and returns its exit code. An error that Atrium raises on purpose is printed as one sentence;
// any other error is a bug and is printed with its stack.

import { Command, CommanderError } from 'commander';
import { applyCliProfileEnv } from '../config/cli-profile.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { LEAST_OPEN_FILES } from '../config/open-file-limit.ts';
import { BadFlagError, TooFewFilesError } from '../gateway/errors.ts';
import { isAtriumError } from '../protocol/errors.ts';
import { errorStack } from '../protocol/one-line.ts';
import { VERSION } from '../protocol/version.ts';
import type { CliIo } from './cli-io.ts';
import { addCommand, type CliCommand } from './command.ts';
import { GROUPS } from './command-groups.ts';
import { loadCommandsOf } from './commands-of-word.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { outputWidth } from './output/format-table.ts';
import { oneLine } from './output/text.ts';
import type { PluginCommand } from './plugins/plugin-commands.ts';

export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  if (argv.length === 0) {
    io.out((await import('./overview.ts')).formatOverview(outputWidth(io)));
    return EXIT.ok;
  }
  let exitCode: ExitCode = EXIT.ok;
  let { environment } = io;
  const underProfile: CliIo = {
    ...io,
    get environment() {
      return environment;
    },
  };
  const program = createProgram(await commandsFor(argv), underProfile, (code) => {
    exitCode = code;
  });
  program.hook('preAction', () => {
    const { profile } = program.opts<{ profile?: string }>();
    if (profile !== undefined) environment = environmentOfProfile(profile, io.environment);
  });
  try {
    await parseWithPlugins(program, argv, underProfile, (profile) => {
      environment = environmentOfProfile(profile, io.environment);
    });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.failure;
    const told = isOutOfFiles(error) ? new TooFewFilesError({ limit: undefined, least: LEAST_OPEN_FILES }) : error;
    io.err(isAtriumError(told) ? `atrium: ${shown(told.message)}\n` : bugReport(told));
    return EXIT.failure;
  }
}

/** A first word that is not a command of the product may be a plugin's; only then are plugins searched. */
async function parseWithPlugins(
  program: Command,
  argv: readonly string[],
  io: CliIo,
  useProfile: (profile: string) => void,
): Promise<void> {
  const { operands } = program.parseOptions([...argv]);
  const { profile } = program.opts<{ profile?: string }>();
  const [word] = operands;
  const isKnown = program.commands.some((command) => command.name() === word || command.aliases().includes(word ?? ''));
  if (profile !== undefined && !isKnown) useProfile(profile);
  if (word === undefined) await listPluginCommands(program, io);
  const isOwn = word === undefined || word === 'help' || isKnown;
  const brought = isOwn ? undefined : await bringCommand(program, io, word);
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!brought || error instanceof CommanderError) throw error;
    throw brought.explain(error);
  } finally {
    await brought?.close();
  }
}

async function bringCommand(program: Command, io: CliIo, word: string): Promise<PluginCommand | undefined> {
  const { addPluginCommand } = await import('./plugins/plugin-commands.ts');
  const brought = await addPluginCommand(program, io, word);
  inheritSettings(program);
  return brought;
}

const UNCONTAINED =
  'They run in this process, without the worker that contains plugins in a gateway: one that hangs\nor ends the process does so to its command. Ctrl-C ends it; the running gateway is not affected.';

/** The commands that the last gateway stored: asking for help loads no plugin. */
async function listPluginCommands(program: Command, io: CliIo): Promise<void> {
  const { readCliCommands } = await import('../gateway/plugins/known-cli-commands.ts');
  const kept = await readCliCommands(io.environment.stateDir);
  if (kept.length === 0) return;
  const lines = kept.map(({ name, pluginId }) => `  ${name.padEnd(18)} of the plugin ${oneLine(pluginId)}`);
  program.addHelpText('after', `\nCommands of plugins:\n${lines.join('\n')}\n${UNCONTAINED}`);
}

/** The same environment as if the variables of the profile had been set before Atrium started. */
function environmentOfProfile(profile: string, { variables, cwd }: Environment): Environment {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/i.test(profile)) {
    // The name becomes part of a path, so it must not lead to another folder.
    throw new BadFlagError({
      flag: '--profile',
      value: profile,
      expected: 'a name of letters, digits, dashes and underscores, 64 at most',
    });
  }
  return readEnvironment(applyCliProfileEnv(profile, variables), undefined, cwd);
}

/** The commands that this line can mean; those with another first word are not read. */
async function commandsFor([word = '']: readonly string[]): Promise<readonly CliCommand[]> {
  return (await loadCommandsOf(word)) ?? (await import('./commands.ts')).COMMANDS;
}

function createProgram(commands: readonly CliCommand[], io: CliIo, exit: (code: ExitCode) => void): Command {
  const program = new Command('atrium')
    .description('A self-hosted gateway for AI agents that you can see through.')
    .version(VERSION)
    .option('--profile <name>', 'use the state directory of this profile')
    .addHelpText('after', `\n${EXIT_CODES}`)
    .showHelpAfterError('Run with --help to see what is possible.')
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .exitOverride();
  for (const command of commands) addCommand(parentOf(command.path, program), command, io, exit);
  inheritSettings(program);
  return program;
}

const EXIT_CODES = `Exit codes: 0 done; 1 done, and the answer is no: a check that differs, a text that was not found;
2 not done: a bad flag, a broken configuration, no gateway. The last line says why.`;

/** The group of a command with two words, made when its first command is added. */
function parentOf(path: string, program: Command): Command {
  const [name = '', ...rest] = path.split(' ');
  if (rest.length === 0) return program;
  const group = program.commands.find((command) => command.name() === name);
  return group ?? program.command(name).description(GROUPS[name as keyof typeof GROUPS] ?? '');
}

/** Sub-commands that are created directly do not inherit how their parent writes and exits. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    inheritSettings(child);
  }
}

/** Messages quote names from files and arguments, which may contain any character. */
function shown(message: string): string {
  return message.split('\n').map(oneLine).join('\n');
}

/** Any file that a command opens, or any module that it imports late, may be the one too many. */
function isOutOfFiles(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EMFILE' || code === 'ENFILE') return true;
  }
  return false;
}

function bugReport(error: unknown): string {
  const stack = errorStack(error);
  return `atrium: something unexpected happened. Please report it with these lines:\n${stack}\n`;
}
