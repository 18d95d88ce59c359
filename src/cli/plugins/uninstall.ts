// `atrium plugins uninstall`: removes what `plugins install` installed. Settings stay unless a flag says otherwise,
// because they are the operator's work.

import { formatConfigPath, valueAt } from '../../config/config-path.ts';
import { resolveConfigFileToEdit, setConfigValue } from '../../config/edit-config.ts';
import { loadConfig } from '../../config/load-config.ts';
import { InstallManagedError } from '../../gateway/errors.ts';
import type { CliIo } from '../cli-io.ts';
import { command } from '../command.ts';
import { oneLine } from '../output/text.ts';
import { type ToldGateway, tellUninstalled } from './tell-gateway.ts';

export const pluginsUninstall = command({
  path: 'plugins uninstall',
  summary: 'remove an installed plugin or hook pack',
  args: { '<id>': 'a plugin or hook pack that was installed with "plugins install"' },
  options: { '--purge-config': 'empty its entry in the configuration as well' },
  examples: ['plugins uninstall greeter', 'plugins uninstall greeter --purge-config'],
  notes: 'What you put into the state directory yourself is never removed.',
  async run({ id, purgeConfig }, { io }) {
    if (io.environment.isConfigManaged) throw new InstallManagedError({ target: id });
    const { uninstallPackage } = await import('../../plugins/install/uninstall-package.ts');
    const record = await uninstallPackage(io.environment.stateDir, id, ['plugin', 'hook-pack']);
    const told = record.kind === 'plugin' ? await tellUninstalled(id, io) : undefined;
    const settings = await settingsLeft(id, record.kind === 'plugin', purgeConfig === true, io);
    const lines = [
      `Removed ${oneLine(record.id)} from ${record.dir}.\n`,
      told ? describeUnloading(told) : '',
      settings.emptied === null ? '' : `Wrote ${settings.emptied} = {}.\n`,
      settings.kept.length === 0 ? '' : `Still in the configuration: ${settings.kept.join(', ')}.\n`,
    ];
    return { json: { uninstalled: record, settings, gateway: told ?? null }, text: lines.join('') };
  },
});

interface SettingsLeft {
  /** The path whose content was removed; null when there was nothing, or the flag was not given. */
  readonly emptied: string | null;
  /** Paths that still mention it. */
  readonly kept: readonly string[];
}

async function settingsLeft(id: string, isPlugin: boolean, purge: boolean, io: CliIo): Promise<SettingsLeft> {
  const location = { environment: io.environment };
  const { config } = await loadConfig(location);
  const at = isPlugin ? ['plugins', 'entries', id] : ['hooks', 'internal', 'entries', id];
  const entry = valueAt(config, at);
  const hasEntry = typeof entry === 'object' && entry !== null && Object.keys(entry).length > 0;
  if (hasEntry && purge) await setConfigValue(await resolveConfigFileToEdit(location, at), at, {});
  const { allow = [], deny = [], slots = {} } = config.plugins ?? {};
  const kept = [
    ...(hasEntry && !purge ? [formatConfigPath(at)] : []),
    ...(isPlugin && allow.includes(id) ? ['plugins.allow'] : []),
    ...(isPlugin && deny.includes(id) ? ['plugins.deny'] : []),
    ...(isPlugin && slots.memory === id ? ['plugins.slots.memory'] : []),
  ];
  return { emptied: hasEntry && purge ? formatConfigPath(at) : null, kept };
}

function describeUnloading(told: ToldGateway): string {
  if (told.told === 'no gateway') return '';
  if (told.told === 'failed') {
    return `The running gateway still has it loaded: ${oneLine(told.reason)}\nStart the gateway again.\n`;
  }
  return told.plugin
    ? `The gateway has another plugin of this id now: ${oneLine(told.plugin.rootDir)}\n`
    : 'The running gateway has unloaded it.\n';
}
