// Describes the plugins of a home while no gateway runs: which there are, which would load, and why others would not. No
// plugin is run for it.

import { checkPluginConfig } from './discovery/check-plugin-config.ts';
import { decideEnablement, entryOf } from './discovery/decide-enablement.ts';
import { discoverPlugins, type FoundPlugin, integrityOf } from './discovery/discover-plugins.ts';
import { describePlugin, type PluginState, type PluginStatus } from './plugin-status.ts';
import type { PluginsConfiguration } from './plugins-parts.ts';

export interface PluginSurvey {
  readonly plugins: readonly PluginStatus[];
  /** Places that cannot be used. */
  readonly problems: readonly string[];
}

export async function surveyPlugins(
  configuration: PluginsConfiguration,
  { stateDir, bundledDirs }: { readonly stateDir: string; readonly bundledDirs?: readonly string[] | undefined },
): Promise<PluginSurvey> {
  const { settings, workspaceDir } = configuration;
  const { loadPaths } = settings;
  const { plugins, shadowed, problems } = await discoverPlugins({ loadPaths, stateDir, workspaceDir, bundledDirs });
  const statuses = await Promise.all(
    plugins.map(async (found) => statusOf(found, configuration, await judge(found, configuration))),
  );
  const hidden = await Promise.all(
    shadowed.map(({ plugin, by }) =>
      statusOf(plugin, configuration, { state: 'disabled', reason: shadowedReason(by) }),
    ),
  );
  return { plugins: [...statuses, ...hidden], problems };
}

export function shadowedReason({ rootDir }: FoundPlugin): string {
  return `Another plugin has the same id and comes first: ${rootDir}. Remove one of them.`;
}

interface Judgement {
  readonly state: PluginState;
  readonly reason: string;
}

async function judge(found: FoundPlugin, { settings }: PluginsConfiguration): Promise<Judgement> {
  const { enabled, reason } = decideEnablement(found, settings);
  if (!enabled) return { state: 'disabled', reason };
  if (found.problem !== undefined) return { state: 'failed', reason: found.problem };
  const checked = await checkPluginConfig(found.id, found.manifest.configSchema, entryOf(settings, found.id)?.config);
  if (!checked.ok) return { state: 'failed', reason: checked.problems.join(' ') };
  return { state: 'pending', reason: `It is loaded when a gateway starts: ${reason}` };
}

async function statusOf(
  found: FoundPlugin,
  { settings }: PluginsConfiguration,
  { state, reason }: Judgement,
): Promise<PluginStatus> {
  const { install } = found;
  const isChanged = install !== undefined && (await integrityOf(found)) !== install.integrity;
  return describePlugin({ found, state, reason, permitted: entryOf(settings, found.id)?.hooks ?? {}, isChanged });
}
