// Writes what the operator decides about one plugin into the configuration: whether it is on, and what it may do. Comments
// in the file survive, and nothing is written that is set already. Commands and the API share it.

import type { ConfigLocation } from '../../config/config-files.ts';
import { type ConfigPath, formatConfigPath, valueAt } from '../../config/config-path.ts';
import { appendConfigValue, resolveConfigFileToEdit, setConfigValue } from '../../config/edit-config.ts';
import { loadConfig } from '../../config/load-config.ts';

export interface PluginDecision {
  readonly enabled?: boolean | undefined;
  readonly allowConversationAccess?: boolean | undefined;
  readonly allowPromptInjection?: boolean | undefined;
}

export interface WrittenSetting {
  readonly setting: string;
  readonly value: boolean | string;
  readonly file: string;
  /** `added` to a list, or `set`. */
  readonly how: 'set' | 'added';
}

/** What was written, in order; nothing when everything was set already. */
export async function writePluginDecision(
  location: ConfigLocation,
  id: string,
  decision: PluginDecision,
): Promise<readonly WrittenSetting[]> {
  const { enabled, allowConversationAccess, allowPromptInjection } = decision;
  const entry: ConfigPath = ['plugins', 'entries', id];
  const { config } = await loadConfig(location);
  const wanted: readonly (readonly [ConfigPath, boolean | undefined])[] = [
    [[...entry, 'enabled'], enabled],
    [[...entry, 'hooks', 'allowConversationAccess'], allowConversationAccess],
    [[...entry, 'hooks', 'allowPromptInjection'], allowPromptInjection],
  ];
  const written: WrittenSetting[] = [];
  for (const [at, value] of wanted) {
    if (value === undefined || valueAt(config, at) === value) continue;
    const file = await resolveConfigFileToEdit(location, at);
    await setConfigValue(file, at, value, (draft) => loadConfig({ ...location, draft }));
    written.push({ setting: formatConfigPath(at), value, file, how: 'set' });
  }
  const allow = config.plugins?.allow ?? [];
  // A list of allowed plugins without this one would still keep it out.
  if (enabled === true && allow.length > 0 && !allow.includes(id)) {
    const at: ConfigPath = ['plugins', 'allow'];
    const file = await resolveConfigFileToEdit(location, at);
    await appendConfigValue(file, at, id);
    written.push({ setting: formatConfigPath(at), value: id, file, how: 'added' });
  }
  return written;
}
