// Switches one handler, rule or hook pack on or off in the configuration. Comments in the file survive, and nothing is
// written when the value is set already. Commands and the API share it.
// Errors: HandlerNotSwitchableError, HandlerSettingsSharedError, and those of `edit-config.ts`.

import type { ConfigLocation } from '../../config/config-files.ts';
import { type ConfigPath, formatConfigPath, valueAt } from '../../config/config-path.ts';
import { loadConfigSource } from '../../config/config-source.ts';
import { resolveConfigFileToEdit, setConfigValue } from '../../config/edit-config.ts';
import { ConfigEditError } from '../../config/errors.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import { resolveHookKey } from '../../hooks/packs/hook-pack.ts';
import { internalHooksConfigured } from '../../hooks/packs/internal-hooks-configured.ts';
import { sharesBundledSettings } from '../composer/bundled-handlers.ts';
import { HandlerNotSwitchableError, HandlerSettingsSharedError } from '../errors.ts';
import type { HookItem } from '../services/hook-inventory.ts';

/** Undefined when the switch was in this position already. */
export async function writeHandlerSwitch(
  location: ConfigLocation,
  item: HookItem,
  enabled: boolean,
): Promise<{ readonly setting: string; readonly file: string } | undefined> {
  if (!item.hasSwitch)
    throw new HandlerNotSwitchableError({ handler: item.id, place: formatConfigPath(item.settings.slice(0, -1)) });
  if (item.pack && sharesBundledSettings(item.pack))
    throw new HandlerSettingsSharedError({ handler: item.id, bundled: resolveHookKey(item.pack), dir: item.pack.dir });
  const { config } = await loadConfig(location);
  if (isSwitchedOn(item, config) === enabled) return undefined;
  const { file, path } = await placeOfSwitch(item, config, location);
  await setConfigValue(file, path, enabled);
  return { setting: formatConfigPath(path), file };
}

/** Whether the switch itself is on; what is enabled may still be blocked or broken. */
export function isSwitchedOn(item: HookItem, config: Config): boolean {
  const written = valueAt(config, [...item.settings, 'enabled']);
  if (typeof written === 'boolean') return written;
  if (item.pack?.source === 'openclaw-bundled') {
    const { names } = internalHooksConfigured(config);
    return names === 'ALL' || names.includes(item.name);
  }
  if (item.kind !== 'bundled handler') return item.pack?.source !== 'openclaw-workspace';
  const inherited = config.hooks?.internal?.entries?.[item.name]?.enabled;
  // The one bundled handler that is off by default.
  return inherited ?? item.name !== 'time-context';
}

async function placeOfSwitch(
  item: HookItem,
  config: Config,
  location: ConfigLocation,
): Promise<{ file: string; path: ConfigPath }> {
  const path = [...item.settings, 'enabled'];
  const file = await resolveConfigFileToEdit(location, path);
  if (!item.settings.some((part) => typeof part === 'number')) return { file, path };
  // An entry of a list is found by its id: lists of included files are joined, so that positions in them may shift.
  const list = item.settings.slice(0, -1);
  const id = valueAt(config, [...item.settings, 'id']);
  const entries = valueAt((await loadConfigSource(file))?.value, list);
  const index = Array.isArray(entries) ? entries.findIndex((entry) => valueAt(entry, ['id']) === id) : -1;
  if (index === -1) {
    throw new ConfigEditError({
      file,
      path: formatConfigPath(path),
      detail: `the entry "${String(id)}" stands in another file`,
    });
  }
  return { file, path: [...list, index, 'enabled'] };
}
