// Loads one plugin to see what it registers, although no gateway runs and even when it is switched off. It is loaded as a
// gateway would load it, in a worker unless the operator set it to inline, and unloaded again. None of its hooks is called and
// none of its services starts; its own code at load time does run.
//
// Errors: throws UnknownPluginError. A plugin that does not load is a status with the reason.

import { HookRunner } from '../../hooks/runner.ts';
import { entryOf } from '../../plugins/discovery/decide-enablement.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';
import { Plugins } from '../../plugins/plugins.ts';
import type { PluginsConfiguration } from '../../plugins/plugins-parts.ts';
import type { PluginSettings } from '../../protocol/plugin-settings.ts';
import { pluginsConfigurationOf } from '../settings/plugins-configuration.ts';
import { type HostWithoutGatewayParts, hostWithoutGateway } from './host-without-gateway.ts';
import { startInlineLoader, startWorkerLoader } from './start-loader.ts';

export interface TryPluginOptions extends HostWithoutGatewayParts {
  readonly id: string;
  readonly now: () => number;
}

export async function tryPlugin(options: TryPluginOptions): Promise<PluginStatus> {
  const { environment, loaded, id, now } = options;
  const configuration = onlyThis(id, pluginsConfigurationOf(loaded.config, environment));
  const warn = () => {};
  const plugins = new Plugins({
    ...configuration,
    stateDir: environment.stateDir,
    homeDir: environment.home,
    loaders: {
      worker: (events) => startWorkerLoader({ ...configuration.settings.worker, events, now, warn }),
      inline: startInlineLoader,
    },
    hooks: new HookRunner({ now }),
    hostFor: (pluginId) => hostWithoutGateway(options, pluginId),
    now,
    // The status says the same.
    warn,
  });
  try {
    await plugins.open();
    // A memory loads when it is the one that was chosen.
    if (plugins.inspect(id).state === 'disabled') await plugins.apply(onlyThis(id, configuration, { memory: id }));
    return plugins.inspect(id);
  } finally {
    await plugins.close();
  }
}

/** Settings under which this plugin is enabled and no other one. */
function onlyThis(
  id: string,
  configuration: PluginsConfiguration,
  slots: PluginSettings['slots'] = configuration.settings.slots,
): PluginsConfiguration {
  const { settings } = configuration;
  const entry = { hooks: {}, ...entryOf(settings, id), enabled: true };
  return {
    ...configuration,
    settings: {
      ...settings,
      enabled: true,
      allow: [id],
      deny: [],
      slots: slots.memory === id ? slots : {},
      entries: { [id]: entry },
    },
  };
}
