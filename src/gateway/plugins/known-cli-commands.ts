// The commands that loaded plugins bring to the command line, kept in a private file of the state directory, so
// that `atrium` knows which plugin has a command, and can list it, without loading a plugin. The file may be incomplete.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeJsonFileAtomically } from '../../plugins/openclaw-sdk/json-files.ts';
import type { PluginRegistry } from '../../plugins/plugin-registry.ts';
import { isJsonObject } from '../../protocol/json.ts';

export interface KnownCliCommand {
  readonly name: string;
  readonly pluginId: string;
}

const FILE = 'plugin-commands.json';
const MAX_CHARS = 262_144;
const MAX_COMMANDS = 1_000;
const COMMAND = /^[a-z0-9][a-z0-9:_-]{0,63}$/i;

export async function readCliCommands(stateDir: string): Promise<readonly KnownCliCommand[]> {
  const text = await readFile(fileIn(stateDir), 'utf8').catch(() => '');
  return text.length > MAX_CHARS ? [] : parse(text);
}

/** Writes only what changed. Never rejects: without the file, plugins are asked. */
export async function saveCliCommands(stateDir: string, registry: PluginRegistry): Promise<void> {
  const commands = registry
    .registered('cli')
    .flatMap(({ pluginId, registration }) =>
      registration.parentPath.length > 0 ? [] : registration.commands.map((name) => ({ name, pluginId })),
    )
    .filter(({ name }) => COMMAND.test(name))
    .slice(0, MAX_COMMANDS);
  const file = fileIn(stateDir);
  try {
    const before = await readFile(file, 'utf8').catch(() => undefined);
    const isKnown =
      before === undefined ? commands.length === 0 : before === `${JSON.stringify({ commands }, null, 2)}\n`;
    if (!isKnown) await writeJsonFileAtomically(file, { commands });
  } catch {
    // A full or read-only disk is reported by the parts that need it.
  }
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'atrium', FILE);
}

function parse(text: string): readonly KnownCliCommand[] {
  try {
    const value: unknown = JSON.parse(text);
    const commands = isJsonObject(value) && Array.isArray(value.commands) ? value.commands : [];
    return commands
      .slice(0, MAX_COMMANDS)
      .flatMap((each): readonly KnownCliCommand[] =>
        isJsonObject(each) &&
        typeof each.name === 'string' &&
        typeof each.pluginId === 'string' &&
        COMMAND.test(each.name)
          ? [{ name: each.name, pluginId: each.pluginId }]
          : [],
      );
  } catch {
    return [];
  }
}
