// What an operator may do with the plugins of a running gateway: list them and load them again, with the configuration
// as its files have it then.
// Errors: an id that no plugin has rejects or throws UnknownPluginError; a configuration that cannot be used rejects a
// reload, and the plugins keep their settings.

import type { PluginStatus } from '../../plugins/plugin-status.ts';
import type { Plugins } from '../../plugins/plugins.ts';
import type { PluginsConfiguration } from '../../plugins/plugins-parts.ts';

export interface PluginControlParts {
  readonly plugins: Pick<Plugins, 'list' | 'inspect' | 'reload' | 'reloadAll'>;
  readonly readConfiguration: () => Promise<PluginsConfiguration>;
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

  async reload(id: string): Promise<PluginStatus> {
    return this.#parts.plugins.reload(id, await this.#parts.readConfiguration());
  }

  async reloadAll(): Promise<readonly PluginStatus[]> {
    return this.#parts.plugins.reloadAll(await this.#parts.readConfiguration());
  }
}
