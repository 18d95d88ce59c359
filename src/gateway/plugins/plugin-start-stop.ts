// Tells a plugin that is loaded or unloaded while the gateway runs what it would be told at the start and the stop: its
// handlers of `gateway_start` run after it was loaded, and those of `gateway_stop` before it is unloaded. So a server that a
// plugin opened is closed before the next generation opens its own.
//
// Rules: a plugin whose worker ended is not told that it stops, because its handlers are gone already. The start
// and the stop of the whole gateway are told to all plugins together, and not here.

import type { Tell } from '../../facts/facts.ts';
import type { GatewayHookContext } from '../../hooks/lifecycle-hooks.ts';
import type { LoadedPlugin } from '../../plugins/loaded-plugin.ts';
import type { PluginRegistry } from '../../plugins/plugin-registry.ts';

export interface PluginStartStopParts {
  readonly registry: PluginRegistry;
  readonly tell: Tell;
  readonly context: GatewayHookContext;
  /** Where the gateway listens. */
  readonly port: number;
}

/** Returns the undo. */
export function tellPluginsOfStartAndStop({ registry, tell, context, port }: PluginStartStopParts): () => void {
  const isAtWork = ({ registrations }: LoadedPlugin) =>
    registry.registered('hook').some(({ registration }) => registrations.includes(registration));
  return registry.subscribe({
    loaded: async (plugin) => {
      await tell('plugin-loaded', { pluginId: plugin.id, port, context });
    },
    unloading: async (plugin, reason) => {
      if (isAtWork(plugin)) await tell('plugin-unloading', { pluginId: plugin.id, reason, context });
    },
  });
}
