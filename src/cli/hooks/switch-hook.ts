// Switches one handler, rule or hook pack on or off in the configuration, for a command. It says exactly what was
// written and where, writes nothing when the value is set already, and checks afterwards whether it had an effect.

import type { ConfigLocation } from '../../config/config-files.ts';
import { type ConfigPath, formatConfigPath, valueAt } from '../../config/config-path.ts';
import { loadConfigSource } from '../../config/config-source.ts';
import { resolveConfigFileToEdit, setConfigValue } from '../../config/edit-config.ts';
import { ConfigEditError } from '../../config/errors.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import { sharesBundledSettings } from '../../gateway/composer/bundled-handlers.ts';
import { type HookItem, listUnloadedHookItems } from '../../gateway/services/hook-inventory.ts';
import { resolveHookKey } from '../../hooks/packs/hook-pack.ts';
import { internalHooksConfigured } from '../../hooks/packs/internal-hooks-configured.ts';
import { resolveWorkspaceDir } from '../agents/resolve-agent.ts';
import type { CliIo } from '../cli-io.ts';
import { type Answer, command, type FlagsOf } from '../command.ts';
import { HandlerNotSwitchableError, HandlerSettingsSharedError } from '../errors.ts';
import { oneLine } from '../output/text.ts';
import { askHooks, askRunningHooks, findHookItem, HOOK_ARGUMENT, HOOK_OPTIONS } from './ask-hooks.ts';

export const hooksEnable = switchCommand('enable', 'on');
export const hooksDisable = switchCommand('disable', 'off');

function switchCommand(verb: 'enable' | 'disable', state: 'on' | 'off') {
  return command({
    path: `hooks ${verb}`,
    summary: `switch a handler, a rule or a hook pack ${state} in the configuration; comments in it survive`,
    args: HOOK_ARGUMENT,
    options: HOOK_OPTIONS,
    examples: [
      `hooks ${verb} time-context        a bundled handler: bootstrap.hooks.time-context.enabled`,
      `hooks ${verb} rule:quiet-hours    a rule: its "enabled" in bootstrap.rules`,
      `hooks ${verb} greeter             a hook pack: hooks.internal.entries.greeter.enabled`,
    ],
    json: false,
    run: ({ name, ...flags }, { io }) => switchHook(name, verb === 'enable', flags, io),
  });
}

type HookFlags = FlagsOf<typeof HOOK_OPTIONS>;

async function switchHook(name: string, enabled: boolean, flags: HookFlags, io: CliIo): Promise<Answer> {
  const { environment } = io;
  const location = { environment, configPath: flags.config };
  const { config } = await loadConfig(location);
  const workspaceDir = resolveWorkspaceDir(config, environment, flags);
  const item = findHookItem(await listUnloadedHookItems(config, environment, workspaceDir), name);
  if (!item.hasSwitch)
    throw new HandlerNotSwitchableError({ handler: item.id, place: formatConfigPath(item.settings.slice(0, -1)) });
  if (item.pack && sharesBundledSettings(item.pack))
    throw new HandlerSettingsSharedError({ handler: item.id, bundled: resolveHookKey(item.pack), dir: item.pack.dir });
  if (isEnabled(item, config) === enabled) {
    io.out(`${oneLine(item.id)} is ${word(enabled)} already; nothing was written.\n`);
  } else {
    const { file, path } = await placeOfSwitch(item, config, location);
    await setConfigValue(file, path, enabled);
    io.out(`Wrote ${formatConfigPath(path)} = ${enabled} to ${file}.\n`);
    const { config: written } = await loadConfig(location);
    io.out(`${oneLine(item.id)} is ${word(isEnabled(item, written))} now.\n`);
  }
  await writeEffect(item, enabled, flags, io);
  return {};
}

function word(enabled: boolean): string {
  return enabled ? 'enabled' : 'disabled';
}

/** Whether the switch itself is on; what is enabled may still be blocked or broken. */
function isEnabled(item: HookItem, config: Config): boolean {
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

/**
 * Says whether a running gateway follows, and whether a switch that is on has an effect. Without a gateway nothing is
 * loaded for what is switched off: it may be a pack that hangs while it is loaded.
 */
async function writeEffect({ id }: HookItem, enabled: boolean, flags: HookFlags, io: CliIo): Promise<void> {
  const running = await askRunningHooks(flags, io);
  const asked = running ?? (enabled ? await askHooks(flags, io) : undefined);
  if (!asked) return;
  const item = findHookItem(asked.inventory.items, id);
  if (running && (item.state !== 'off') !== enabled) {
    io.out('The running gateway does not follow: it reads another configuration, or cannot use this one.\n');
    return;
  }
  if (running) io.out('The running gateway has taken it up.\n');
  if (enabled && item.state !== 'on') io.out(`It is not called all the same: ${oneLine(item.why ?? '')}\n`);
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
