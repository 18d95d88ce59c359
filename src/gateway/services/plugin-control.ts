// What an operator may do with the plugins of a running gateway: list them, decide about them in the configuration, and load
// them again, with the configuration as its files have it then.
// Errors: an id that no plugin has rejects or throws UnknownPluginError; a configuration that cannot be used rejects a
// reload, and the plugins keep their settings.

import type { ConfigLocation } from '../../config/config-files.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';
import type { Plugins } from '../../plugins/plugins.ts';
import type { PluginsConfiguration } from '../../plugins/plugins-parts.ts';
import type { PluginDecision, WrittenSetting } from '../plugins/write-plugin-decision.ts';

export interface PluginControlParts {
  readonly plugins: Pick<Plugins, 'list' | 'inspect' | 'reload' | 'reloadAll'>;
  readonly location: ConfigLocation;
  readonly readConfiguration: () => Promise<PluginsConfiguration>;
  /** Called with the plugin that an operator has loaded again, or with nothing when it was all of them. */
  readonly reloaded?: ((id: string | undefined) => void) | undefined;
}

export interface DecidedPlugin {
  readonly plugin: PluginStatus;
  readonly written: readonly WrittenSetting[];
}

export class PluginControl {
  readonly #parts: PluginControlParts;

  constructor(parts: PluginControlParts) {
    this.#parts = parts;
  }

  list(): readonly PluginStatus[] {
    return this.#parts.plugins.list();
  }

  inspect(id: string): PluginStatus {
    return this.#parts.plugins.inspect(id);
  }

  /** Writes the decision into the configuration, and takes it up. Rejects with UnknownPluginError for an unknown id. */
  async decide(id: string, decision: PluginDecision): Promise<DecidedPlugin> {
    this.inspect(id);
    const { writePluginDecision } = await import('../plugins/write-plugin-decision.ts');
    const written = await writePluginDecision(this.#parts.location, id, decision);
    return { plugin: await this.reload(id), written };
  }

  async reload(id: string): Promise<PluginStatus> {
    const status = await this.#parts.plugins.reload(id, await this.#parts.readConfiguration());
    this.#parts.reloaded?.(id);
    return status;
  }

  async reloadAll(): Promise<readonly PluginStatus[]> {
    const statuses = await this.#parts.plugins.reloadAll(await this.#parts.readConfiguration());
    this.#parts.reloaded?.(undefined);
    return statuses;
  }

  /** Loads again what an operator has loaded again at another node. Rejects as `reload` does. */
  async follow(id: string | undefined): Promise<void> {
    const configuration = await this.#parts.readConfiguration();
    if (id === undefined) await this.#parts.plugins.reloadAll(configuration);
    else await this.#parts.plugins.reload(id, configuration);
  }
}
