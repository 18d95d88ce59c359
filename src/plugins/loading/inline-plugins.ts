// Loads plugins into the gateway's own thread. Code that spins cannot be stopped here. After an unload, the functions of
// the plugin and its requests to the gateway reject with PluginGoneError.

import { PluginGoneError } from '../errors.ts';
import type { LoadedPlugin, LoadResult, PluginLoader } from '../loaded-plugin.ts';
import { lostReason, lostRegistrations } from '../lost-registrations.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import type { PluginRegistration, PluginTool } from '../registration.ts';
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
    const lost = lostRegistrations(draft.registered, draft.registrations);
    if (lost.length > 0) {
      isGone = true;
      return { ok: false, reason: lostReason(lost), notes: draft.notes };
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

/** `isGone` is asked at every call. */
function guardRegistration<Registration extends PluginRegistration>(
  registration: Registration,
  pluginId: string,
  isGone: () => boolean,
): Registration {
  const guarded = guardFields(registration, pluginId, isGone);
  if (guarded.kind !== 'tool') return guarded;
  const { make } = guarded;
  const makeGuarded: typeof make = async (scope) =>
    (await make(scope)).map((tool): PluginTool => guardFields(tool, pluginId, isGone));
  return { ...guarded, make: makeGuarded };
}

function guardHost(host: PluginHost, pluginId: string, isGone: () => boolean): PluginHost {
  return new Proxy(host, {
    get: (target, name) => {
      const ask: unknown = Reflect.get(target, name);
      if (typeof ask !== 'function') return ask;
      return (request: unknown) => {
        if (!isGone()) return ask.call(target, request);
        return name === 'log' ? undefined : Promise.reject(new PluginGoneError({ pluginId }));
      };
    },
  });
}

function guardFields<Value extends object>(value: Value, pluginId: string, isGone: () => boolean): Value {
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    typeof field === 'function' ? guardFunction(field, pluginId, isGone) : field,
  ]);
  return Object.fromEntries(fields) as Value;
}

// biome-ignore lint/complexity/noBannedTypes: functions of every registration
function guardFunction(call: Function, pluginId: string, isGone: () => boolean) {
  return (...args: unknown[]): unknown => {
    if (isGone()) return Promise.reject(new PluginGoneError({ pluginId }));
    return call(...args);
  };
}
