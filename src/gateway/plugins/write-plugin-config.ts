// Writes what a plugin changed in the configuration into the file that has it. It writes single values, so that comments
// and everything else stay, and so do references to the environment. A plugin writes its own settings, the
// model that agents use, and sections that the product does not read. The other sections decide what may be done and what
// is started, and only the operator changes them.
//
// Errors: PluginRefusedError, before anything is written; ConfigEditError as for any other edit.

import { isDeepStrictEqual } from 'node:util';
import { resolveConfigFileToEdit, setConfigValue } from '../../config/edit-config.ts';
import type { Environment } from '../../config/environment.ts';
import { PluginRefusedError } from '../../plugins/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { words } from '../../protocol/words.ts';

export interface WriteConfigParts {
  readonly environment: Environment;
  /** The path of the operator's file, if it is not the usual one. */
  readonly configPath?: string | undefined;
  /** Nothing is written at all. */
  readonly isTrial?: boolean | undefined;
  /** The configuration as it is now. */
  readonly config: () => JsonObject;
}

interface Change {
  readonly at: readonly string[];
  /** Undefined when the setting is to be removed. */
  readonly value: JsonValue | undefined;
}

const MAX_CHANGES = 100;

/** Every section that the product reads, and those that OpenClaw reads to decide about trust. */
export const OPERATOR_SECTIONS: ReadonlySet<string> = new Set(
  words(`
    acceptUnused agents approvals bindings bootstrap cron delivery diagnostics gateway hooks limits logging mcp memory messages models openboa plugins proxy recorder session
    tools accessGroups auth channels commands env secrets security skills store
  `),
);
/** Names in a path that are no settings: they include another file, or are properties of every object. */
const NO_SETTING = /^\$|^(?:__proto__|constructor|prototype)$/;

export async function writePluginConfig(parts: WriteConfigParts, pluginId: string, wanted: JsonObject): Promise<void> {
  const { environment, configPath } = parts;
  const changes = listChanges(parts.config(), wanted, []);
  const refuse = (detail: string) => new PluginRefusedError({ pluginId, detail });
  if (parts.isTrial) throw refuse('this is a trial, which leaves the configuration as it is');
  if (changes.length > MAX_CHANGES) throw refuse(`it changes ${changes.length} settings at once`);
  for (const { at, value } of changes) {
    const name = at.join('.');
    if (value === undefined)
      throw refuse(`${name} would be removed from the configuration, which is for the operator to do`);
    if (!mayChange(at, pluginId)) throw refuse(`${name} is for the operator to change`);
  }
  for (const { at, value } of changes) {
    const file = await resolveConfigFileToEdit({ environment, configPath }, at);
    await setConfigValue(file, at, value);
  }
}

/** Lists changes down to single values and lists, also in new objects, because each of them is checked by its path. */
function listChanges(before: JsonObject, after: JsonObject, path: readonly string[]): readonly Change[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key): readonly Change[] => {
    const at = [...path, key];
    const [old, wanted] = [before, after].map((each) => (Object.hasOwn(each, key) ? each[key] : undefined));
    if (isDeepStrictEqual(old, wanted)) return [];
    const parts = old === undefined ? {} : old;
    return isJsonObject(parts) && isJsonObject(wanted) ? listChanges(parts, wanted, at) : [{ at, value: wanted }];
  });
}

function mayChange(at: readonly string[], pluginId: string): boolean {
  const [section = '', group, id, part] = at;
  if (at.some((name) => NO_SETTING.test(name))) return false;
  if (section === 'plugins') return group === 'entries' && id === pluginId && part === 'config';
  if (section === 'agents') return group === 'defaults' && id === 'model';
  return !OPERATOR_SECTIONS.has(section);
}
