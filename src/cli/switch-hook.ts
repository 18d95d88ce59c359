// Switches one handler, rule or hook pack on or off in the configuration, because a command was asked to. Says exactly
// what was written and where, writes nothing that is already so, and looks afterwards whether it had the effect.

import { type ConfigPath, formatConfigPath, valueAt } from '../config/config-path.ts';
import { loadConfigSource } from '../config/config-source.ts';
import { resolveConfigFileToEdit, setConfigValue } from '../config/edit-config.ts';
import type { Config } from '../config/schema.ts';
import { ConfigEditError, HandlerNotSwitchableError } from '../protocol/errors.ts';
import type { CliIo } from './cli-io.ts';
import { oneLine } from './format-table.ts';
import { findHookItem, type HookItem, listHookItems } from './hook-inventory.ts';
import type { HookFlags } from './hooks-group.ts';
import { openContext } from './situation-options.ts';

export async function switchHook(name: string, enabled: boolean, flags: HookFlags, io: CliIo): Promise<void> {
  const before = await findItem(name, flags, io);
  const { item } = before;
  if (!item.hasSwitch) throw new HandlerNotSwitchableError(item.id, formatConfigPath(item.settings.slice(0, -1)));
  if (isEnabled(item, before.config) === enabled) {
    io.out(`${oneLine(item.id)} is ${word(enabled)} already; nothing was written.\n`);
    writeEffect(item, enabled, io);
    return;
  }
  const { file, path } = await placeOfSwitch(item, before.config, flags, io);
  await setConfigValue(file, path, enabled);
  io.out(`Wrote ${formatConfigPath(path)} = ${enabled} to ${file}.\n`);
  const after = await findItem(item.id, flags, io);
  io.out(`${oneLine(item.id)} is ${word(isEnabled(after.item, after.config))} now.\n`);
  writeEffect(after.item, enabled, io);
}

async function findItem(name: string, flags: HookFlags, io: CliIo): Promise<{ item: HookItem; config: Config }> {
  const { engine, request, loaded } = await openContext(flags, io);
  const prepared = await engine.prepare(request);
  const items = listHookItems({ config: loaded.config, environment: io.environment, prepared });
  return { item: findHookItem(items, name), config: loaded.config };
}

function word(enabled: boolean): string {
  return enabled ? 'enabled' : 'disabled';
}

/** Whether the switch itself is on; what is enabled may still be blocked or broken. */
function isEnabled(item: HookItem, config: Config): boolean {
  const written = valueAt(config, [...item.settings, 'enabled']);
  if (typeof written === 'boolean') return written;
  if (item.kind !== 'bundled handler') return item.pack?.source !== 'openclaw-workspace';
  const inherited = config.hooks?.internal?.entries?.[item.name]?.enabled;
  // The one bundled handler that waits to be asked.
  return inherited ?? item.name !== 'time-context';
}

/** A switch that is on and has no effect is worth a word. */
function writeEffect(item: HookItem, enabled: boolean, io: CliIo): void {
  if (!enabled || item.state === 'on') return;
  io.out(`It is not called all the same: ${oneLine(item.why ?? '')}\n`);
}

async function placeOfSwitch(
  item: HookItem,
  config: Config,
  flags: HookFlags,
  io: CliIo,
): Promise<{ file: string; path: ConfigPath }> {
  const location = { environment: io.environment, configPath: flags.config };
  const path = [...item.settings, 'enabled'];
  const file = await resolveConfigFileToEdit(location, path);
  if (!item.settings.some((part) => typeof part === 'number')) return { file, path };
  // An entry of a list is found by its id: lists of included files are joined, so that places in them shift.
  const list = item.settings.slice(0, -1);
  const id = valueAt(config, [...item.settings, 'id']);
  const entries = valueAt((await loadConfigSource(file))?.value, list);
  const index = Array.isArray(entries) ? entries.findIndex((entry) => valueAt(entry, ['id']) === id) : -1;
  if (index === -1) {
    throw new ConfigEditError(file, formatConfigPath(path), `the entry "${String(id)}" stands in another file`);
  }
  return { file, path: [...list, index, 'enabled'] };
}
