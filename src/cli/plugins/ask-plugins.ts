// The plugins for commands that list them: as the running gateway has them, else as a gateway that starts now would
// find them. No plugin is loaded for it.
// Errors: `findPlugin` throws UnknownPluginError with the nearest name.

import { loadConfig } from '../../config/load-config.ts';
import { UnknownPluginError } from '../../plugins/errors.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import type { CliIo } from '../cli-io.ts';
import { askRunning } from '../gateway/gateway-client.ts';
import { oneLine } from '../output/text.ts';

/** The argument of the commands that are about one plugin. */
export const PLUGIN_ARGUMENT = { '<id>': 'a plugin, as "atrium plugins list" names it' } as const;

export interface AskedPlugins {
  readonly plugins: readonly PluginStatus[];
  /** False when no gateway runs, so that their registrations are not known. */
  readonly isRunning: boolean;
}

export async function askPlugins(io: CliIo): Promise<AskedPlugins> {
  const asked = await askRunning(io, (client) => client.get<{ plugins: readonly PluginStatus[] }>('/api/plugins'));
  return asked ? { plugins: asked.plugins, isRunning: true } : { plugins: await surveyPlugins(io), isRunning: false };
}

/** The plugins according to the files and the configuration now, even when a gateway has loaded others. */
export async function surveyPlugins(io: CliIo): Promise<readonly PluginStatus[]> {
  const { environment } = io;
  const { config } = await loadConfig({ environment });
  const { surveyHomePlugins } = await import('../../gateway/survey-home-plugins.ts');
  const { plugins, problems } = await surveyHomePlugins(config, environment);
  for (const problem of problems) io.err(`warning: ${oneLine(problem)}\n`);
  return plugins;
}

export function findPlugin(plugins: readonly PluginStatus[], id: string): PluginStatus {
  const plugin = plugins.find((each) => each.id === id);
  if (plugin) return plugin;
  const ids = plugins.map((each) => each.id);
  throw new UnknownPluginError({ pluginId: oneLine(id), suggestion: nearMatch(id, ids) });
}

/** One line about what a plugin is now, for commands that have just changed it. */
export function describeState({ id, state, reason, notes }: PluginStatus): string {
  const failure = notes.find(({ code }) => code === 'load-failed');
  if (state === 'loaded') {
    const warnings = notes.filter(({ level }) => level !== 'info').length;
    const more = warnings === 0 ? '' : ` ${count(warnings)}: see "atrium plugins inspect ${id}".`;
    return oneLine(failure ? `${id} was not loaded again. ${reason}` : `${id} is loaded.${more}`);
  }
  const words = {
    disabled: 'is not loaded',
    failed: 'could not be loaded',
    suspended: 'is suspended',
    pending: 'waits',
  };
  return oneLine(`${id} ${words[state]}. ${reason}`);
}

function count(warnings: number): string {
  return warnings === 1 ? 'There is a warning' : `There are ${warnings} warnings`;
}
