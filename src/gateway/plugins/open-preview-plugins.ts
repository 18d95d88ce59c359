// The plugins of a home for a preview without a gateway. They are loaded as a gateway would load them, all of them in a
// worker, so that none can harm the command; their prompt hooks and tools are used, and their services do not start.
// Promise: nothing is written for them. What a plugin does on its own while it is loaded cannot be prevented.
// A home without plugins pays for listing a few folders.

import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { HookRunner } from '../../hooks/runner.ts';
import type { WorkerEvents } from '../../plugins/loaded-plugin.ts';
import { Plugins } from '../../plugins/plugins.ts';
import { pluginsConfigurationOf } from '../settings/plugins-configuration.ts';
import { type DraftPlugins, draftPlugins } from './draft-plugins.ts';
import { hostWithoutGateway } from './host-without-gateway.ts';
import { startWorkerLoader } from './start-loader.ts';

export interface PreviewPluginsOptions {
  readonly environment: Environment;
  readonly loaded: LoadedConfig;
  /** Their prompt hooks are registered here. */
  readonly hooks: HookRunner;
  readonly now: () => number;
}

export interface PreviewPlugins extends DraftPlugins {
  /** One sentence for each enabled plugin that does not work here, and for each warning about one. */
  troubles(): readonly string[];
  close(): Promise<void>;
}

export async function openPreviewPlugins(options: PreviewPluginsOptions): Promise<PreviewPlugins> {
  const { environment, loaded, hooks, now } = options;
  const configuration = pluginsConfigurationOf(loaded.config, environment);
  const warnings = new Set<string>();
  const warn = (sentence: string) => void warnings.add(sentence);
  const worker = (events: WorkerEvents) => startWorkerLoader({ ...configuration.settings.worker, events, now, warn });
  const registry: Plugins = new Plugins({
    ...configuration,
    stateDir: environment.stateDir,
    homeDir: environment.home,
    // A plugin that is set to inline runs in a worker of its own here; one that is stopped there stays so.
    loaders: { worker, inline: () => worker({ trouble: ({ reason }) => warn(reason), reloaded: () => {} }) },
    hooks,
    hostFor: (pluginId) => hostWithoutGateway({ environment, loaded, isTrial: true, log: () => {} }, pluginId),
    now,
    warn,
  });
  await registry.open();
  return {
    ...draftPlugins({
      registry,
      environment,
      settings: () => loaded.config,
      memoryHolder: () => configuration.settings.slots.memory,
      now,
      warn,
    }),
    troubles: () => [
      ...registry
        .list()
        .filter(({ state }) => state === 'failed' || state === 'suspended')
        .map(({ id, reason }) => `The plugin "${id}" could not be loaded for this: ${reason}`),
      ...warnings,
    ],
    close: () => registry.close(),
  };
}
