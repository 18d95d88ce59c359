// What `Plugins` needs. The loaders are made when the first plugin needs them, so that a gateway without plugins does not
// load them.

import type { HookRunner } from '../hooks/runner.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Say } from '../protocol/log.ts';
import type { PluginSettings } from '../protocol/plugin-settings.ts';
import type { PluginLoader, WorkerEvents } from './loaded-plugin.ts';
import type { PluginHostFor } from './plugin-host.ts';

export interface PluginsParts extends PluginsConfiguration {
  readonly stateDir: string;
  readonly homeDir?: string | undefined;
  readonly loaders: PluginLoaders;
  readonly hooks: HookRunner;
  readonly hostFor: PluginHostFor;
  /** Folders of the plugins that come with the product. */
  readonly bundledDirs?: readonly string[] | undefined;
  readonly now: () => number;
  /** One sentence for the operator. */
  readonly warn: Say;
  /** Tells the operator a warning about a loaded plugin, once. Without it, only the status shows the warning. */
  readonly tell?: ((pluginId: string, sentence: string) => void) | undefined;
}

/** What may change while the gateway runs; `Plugins.apply` takes a new one. */
export interface PluginsConfiguration {
  readonly settings: PluginSettings;
  /** The whole configuration, as validated. */
  readonly config: JsonObject;
  /** The workspace of the default agent. */
  readonly workspaceDir: string;
}

/** Each is called once at most. */
export interface PluginLoaders {
  worker(events: WorkerEvents): PluginLoader | Promise<PluginLoader>;
  inline(): PluginLoader | Promise<PluginLoader>;
}
