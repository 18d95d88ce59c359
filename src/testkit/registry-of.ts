// A registry with the plugins that a test describes. The test adds and removes plugins.

import type { LoadedPlugin } from '../plugins/loaded-plugin.ts';
import type { PluginListener, PluginRegistry, Registered } from '../plugins/plugin-registry.ts';
import type { PluginOrigin } from '../plugins/plugin-setup.ts';
import type { CleanupReason, PluginRegistration, RegistrationKind } from '../plugins/registration.ts';

export interface RegistryPlugin {
  readonly id: string;
  readonly origin?: PluginOrigin | undefined;
  readonly registrations: readonly PluginRegistration[];
}

export interface TestRegistry extends PluginRegistry {
  /** Loads the plugin, and replaces an older one with the same id. */
  load(plugin: RegistryPlugin): Promise<void>;
  unload(id: string, reason?: CleanupReason): Promise<void>;
}

export function registryOf(...given: readonly RegistryPlugin[]): TestRegistry {
  let plugins: readonly RegistryPlugin[] = given;
  const listeners = new Set<PluginListener>();
  const find = (id: string) => plugins.find((plugin) => plugin.id === id);
  const unload = async (id: string, reason: CleanupReason = 'disable') => {
    const plugin = find(id);
    if (!plugin) return;
    for (const listener of listeners) await listener.unloading?.(loadedOf(plugin), reason);
    plugins = plugins.filter((each) => each !== plugin);
  };
  return {
    registered: <Kind extends RegistrationKind>(kind: Kind) =>
      plugins.flatMap(({ id, origin = 'config', registrations }) =>
        registrations
          .filter((registration) => registration.kind === kind)
          .map((registration) => ({ pluginId: id, origin, registration }) as unknown as Registered<Kind>),
      ),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    load: async (plugin) => {
      await unload(plugin.id, 'restart');
      plugins = [...plugins, plugin];
      for (const listener of listeners) await listener.loaded?.(loadedOf(plugin));
    },
    unload,
  };
}

function loadedOf({ id, registrations }: RegistryPlugin): LoadedPlugin {
  return { id, where: 'inline', registrations, notes: [], unload: async () => {} };
}
