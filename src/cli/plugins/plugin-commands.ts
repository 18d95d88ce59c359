// Commands of plugins: `atrium <command>` loads the plugins that may have the command and lets them add it to the
// program. For the product's own commands none of this is loaded.
// Errors: PluginCliError names the plugin whose command could not be added or failed.

import type { Command } from 'commander';
import { loadConfig } from '../../config/load-config.ts';
import type { OpenedPluginCli } from '../../gateway/plugins/open-plugin-cli.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { errorText } from '../../protocol/one-line.ts';
import { within } from '../../protocol/time-limit.ts';
import type { CliIo } from '../cli-io.ts';
import { PluginCliError } from '../errors.ts';
import { openGatewayClient, path } from '../gateway/gateway-client.ts';
import { oneLine } from '../output/text.ts';

/** A registrar that never ends must not block the terminal. */
const REGISTRAR_MS = 10_000;

export interface PluginCommand {
  readonly pluginId: string;
  /** Names the plugin that is responsible when the command throws. */
  explain(error: unknown): unknown;
  close(): Promise<void>;
}

/** Undefined when no plugin has the command. */
export async function addPluginCommand(
  program: Command,
  io: CliIo,
  command: string,
): Promise<PluginCommand | undefined> {
  const { environment } = io;
  const loaded = await loadConfig({ environment });
  const { openPluginCli } = await import('../../gateway/plugins/open-plugin-cli.ts');
  const opened = await openPluginCli({
    environment,
    loaded,
    command,
    log: (pluginId, { level, text }) => {
      if (level !== 'debug') io.err(`${pluginId}: ${oneLine(text)}\n`);
    },
    callGateway: async (method, params) => {
      const client = await openGatewayClient(io);
      return (await client.post<{ payload: never }>(path`/api/methods/${method}`, { params })).payload;
    },
    warn: (sentence) => io.err(`warning: ${oneLine(sentence)}\n`),
    now: () => io.now().getTime(),
  });
  const owner = await addCommands(program, opened, io);
  const pluginId = owner(command);
  if (pluginId === undefined) {
    await opened.close();
    return undefined;
  }
  return {
    pluginId,
    explain: (error) =>
      isAtriumError(error)
        ? error
        : new PluginCliError({ pluginId, command, detail: wordsOf(error) }, { cause: error }),
    close: () => opened.close(),
  };
}

/** Lets every plugin add its commands; gives which plugin added which. */
async function addCommands(
  program: Command,
  { registered, config, workspaceDir }: OpenedPluginCli,
  io: CliIo,
): Promise<(command: string) => string | undefined> {
  const owners = new Map<string, string>();
  for (const { pluginId, registration } of registered) {
    const { registrar, parentPath } = registration;
    const parent = findParent(program, parentPath);
    if (!registrar || !parent) continue;
    const before = new Set(namesOf(program));
    const say = (text: unknown) => io.err(`${pluginId}: ${oneLine(String(text))}\n`);
    const logger = { info: say, warn: say, error: say, debug: () => {} };
    try {
      await inTime(async () => registrar({ program: parent, parentPath, config, workspaceDir, logger }));
    } catch (error) {
      throw new PluginCliError(
        { pluginId, command: registration.commands.join(', ') || '?', detail: wordsOf(error) },
        { cause: error },
      );
    }
    for (const name of namesOf(program)) if (!before.has(name)) owners.set(name, pluginId);
  }
  return (command) => owners.get(command);
}

function findParent(program: Command, path: readonly string[]): Command | undefined {
  return path.reduce<Command | undefined>(
    (parent, name) => parent?.commands.find((command) => command.name() === name),
    program,
  );
}

function namesOf(program: Command): readonly string[] {
  return program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
}

async function inTime(work: () => Promise<unknown>): Promise<void> {
  if (!(await within(REGISTRAR_MS, work()))) throw new Error(`it did not end within ${REGISTRAR_MS / 1_000} s`);
}

function wordsOf(error: unknown): string {
  return oneLine(errorText(error)).slice(0, 500);
}
