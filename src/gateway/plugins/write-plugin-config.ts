// What a plugin changed in the configuration, written into the file that has it: value by value, so that comments and
// everything else stay, and what the file takes from the environment stays there. A plugin may not widen what it is
// allowed itself: what the operator decides about trust is refused.
//
// Errors: PluginRefusedError, before anything is written; ConfigEditError as for any other edit.

import { isDeepStrictEqual } from 'node:util';
import { resolveConfigFileToEdit, setConfigValue } from '../../config/edit-config.ts';
import type { Environment } from '../../config/environment.ts';
import { PluginRefusedError } from '../../protocol/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';

export interface WriteConfigParts {
  readonly environment: Environment;
  /** Where the operator's own file is, if it is not where it usually is. */
  readonly configPath?: string | undefined;
  /** Nothing is written at all. */
  readonly isTrial?: boolean | undefined;
  /** As it holds now. */
  readonly config: () => JsonObject;
}

interface Change {
  readonly at: readonly string[];
  /** Undefined when it shall not be there any more. */
  readonly value: JsonValue | undefined;
}

const MAX_CHANGES = 100;
const TRUST: ReadonlySet<string> = new Set(['approvals', 'gateway', 'plugins', 'tools']);

export async function writePluginConfig(parts: WriteConfigParts, pluginId: string, wanted: JsonObject): Promise<void> {
  const { environment, configPath } = parts;
  const changes = listChanges(parts.config(), wanted, []);
  const refuse = (detail: string) => new PluginRefusedError(pluginId, detail);
  if (parts.isTrial) throw refuse('this is a trial, which leaves the configuration as it is');
  if (changes.length > MAX_CHANGES) throw refuse(`it changes ${changes.length} settings at once`);
  for (const { at, value } of changes) {
    const name = at.join('.');
    if (isTrust(at, pluginId)) throw refuse(`${name} is for the operator to change`);
    if (value === undefined)
      throw refuse(`${name} would be removed from the configuration, which is for the operator to do`);
  }
  for (const { at, value } of changes) {
    const file = await resolveConfigFileToEdit({ environment, configPath }, at);
    await setConfigValue(file, at, value);
  }
}

function listChanges(before: JsonObject, after: JsonObject, path: readonly string[]): readonly Change[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key): readonly Change[] => {
    const at = [...path, key];
    const [old, wanted] = [before[key], after[key]];
    if (isDeepStrictEqual(old, wanted)) return [];
    return isJsonObject(old) && isJsonObject(wanted) ? listChanges(old, wanted, at) : [{ at, value: wanted }];
  });
}

/** Its own settings are its own; whatever says what may be done is not. */
function isTrust(at: readonly string[], pluginId: string): boolean {
  const [section, entries, id, part] = at;
  if (section === 'plugins' && entries === 'entries' && id === pluginId && part === 'config') return false;
  return TRUST.has(section ?? '') || at.includes('tools');
}
