// `atrium plugins uninstall`: removes what `plugins install` brought. Settings stay unless they are asked for, because
// they are the operator's work.

import { formatConfigPath, valueAt } from '../../config/config-path.ts';
import { resolveConfigFileToEdit, setConfigValue } from '../../config/edit-config.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { CliIo } from '../cli-io.ts';
import type { AddCommand } from '../commands.ts';
import { oneLine } from '../output/format-table.ts';
import { pluginsGroup } from '../plugins-group.ts';
import { type ToldGateway, tellUninstalled } from './tell-gateway.ts';

interface UninstallFlags {
  readonly purgeConfig?: boolean;
  readonly json?: boolean;
}

export const addPluginsUninstall: AddCommand = (program, io) => {
  pluginsGroup(program)
    .command('uninstall')
    .argument('<id>', 'a plugin or hook pack that was installed with "plugins install"')
    .description('remove an installed plugin or hook pack')
    .option('--purge-config', 'empty its entry in the configuration as well')
    .option('--json', 'print JSON for programs')
    .addHelpText('after', '\nWhat you put into the state directory yourself is never removed.')
    .action(async (id: string, flags: UninstallFlags) => {
      const { uninstallPackage } = await import('../../plugins/install/uninstall-package.ts');
      const record = await uninstallPackage(io.environment.stateDir, id, ['plugin', 'hook-pack']);
      const told = record.kind === 'plugin' ? await tellUninstalled(id, io) : undefined;
      const settings = await settingsLeft(id, record.kind === 'plugin', flags.purgeConfig === true, io);
      if (flags.json) {
        io.out(`${JSON.stringify({ uninstalled: record, settings, gateway: told ?? null }, null, 2)}\n`);
        return;
      }
      io.out(`Removed ${oneLine(record.id)} from ${record.dir}.\n`);
      io.out(told ? describeUnloading(told) : '');
      if (settings.emptied !== null) io.out(`Wrote ${settings.emptied} = {}.\n`);
      if (settings.kept.length > 0) io.out(`Still in the configuration: ${settings.kept.join(', ')}.\n`);
    });
};

interface SettingsLeft {
  /** The path that was emptied; null when there was nothing, or nobody asked for it. */
  readonly emptied: string | null;
  /** Paths that still speak of it. */
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
