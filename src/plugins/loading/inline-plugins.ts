// Loads plugins into the gateway's own thread. Nothing here can stop code that spins; what it can do is keep a plugin
// that was unloaded from acting.

import type { LoadedPlugin, LoadResult, PluginLoader } from '../loaded-plugin.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import { guardHost, guardRegistration } from './guard-plugin.ts';
import type { LoadPluginSettings } from './load-plugin.ts';

export class InlinePlugins implements PluginLoader {
  readonly #settings: LoadPluginSettings;
  readonly #loaded = new Set<LoadedPlugin>();

  constructor(settings: LoadPluginSettings = {}) {
    this.#settings = settings;
  }

  async load(setup: PluginSetup, host: PluginHost): Promise<LoadResult> {
    let isGone = false;
    const gone = () => isGone;
    const { loadPlugin } = await import('./load-plugin.ts');
    const draft = await loadPlugin(setup, guardHost(host, setup.id, gone), this.#settings);
    if (!draft.ok) {
      isGone = true;
      return draft;
    }
    const plugin: LoadedPlugin = {
      id: setup.id,
      where: 'inline',
      registrations: draft.registrations.map((registration) => guardRegistration(registration, setup.id, gone)),
      notes: draft.notes,
      unload: async () => {
        isGone = true;
        this.#loaded.delete(plugin);
      },
    };
    this.#loaded.add(plugin);
    return { ok: true, plugin };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#loaded].map((plugin) => plugin.unload()));
  }
}
