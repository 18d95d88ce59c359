// The plugins of a gateway: which there are, which of them load, and what the loaded ones registered. It keeps
// them loaded through changed settings, reloads and trouble in the worker. It does not know how registrations are used.
//
// Errors: `reload` rejects and `inspect` throws UnknownPluginError. The status of a plugin says what is wrong with it.
// Rules: `registered` gives the old or the new generation of a plugin, never both and never a suspended one's.

import { GatewayNotReadyError } from '../protocol/errors.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { within } from '../protocol/time-limit.ts';
import { decideEnablement, entryOf } from './discovery/decide-enablement.ts';
import { type Discovery, discoverPlugins, type FoundPlugin } from './discovery/discover-plugins.ts';
import { UnknownPluginError } from './errors.ts';
import type { LoadedPlugin, PluginLoader, WorkerEvents } from './loaded-plugin.ts';
import { describeMissing, type MissingPlugin, missingPlugins } from './missing-plugins.ts';
import {
  haveSameItems,
  PluginInstance,
  type PluginInstanceParts,
  type WantedPlugin,
  type Where,
} from './plugin-instance.ts';
import type { PluginListener, PluginRegistry, Registered } from './plugin-registry.ts';
import { describePlugin, type PluginStatus } from './plugin-status.ts';
import type { PluginsConfiguration, PluginsParts } from './plugins-parts.ts';
import type { RegistrationKind } from './registration.ts';
import { shadowedReason } from './survey-plugins.ts';

/** Loaders have their own deadlines, with better messages; this one is for a loader that is stuck itself. */
const LOAD_TIMEOUT_MS = 60_000;
const LOADED_TOLD_MS = 60_000;
const UNLOADING_TOLD_MS = 10_000;
const CLOSE_MS = 15_000;
const NONE_MISSING: readonly MissingPlugin[] = [];

export class Plugins implements PluginRegistry {
  readonly #parts: PluginsParts;
  readonly #instanceParts: PluginInstanceParts;
  readonly #listeners = new Set<PluginListener>();
  #configuration: PluginsConfiguration;
  /** In the order of discovery, which is the order in which they load. */
  #instances: readonly PluginInstance[] = [];
  #shadowed: readonly PluginStatus[] = [];
  /** Problems that the operator was told of. */
  #said: readonly string[] = [];
  #saidMissing: readonly string[] = [];
  /** Looks at the files run one after the other, so that their consequences keep that order. */
  #looking: Promise<unknown> = Promise.resolve();
  #worker: Promise<PluginLoader> | undefined;
  #inline: Promise<PluginLoader> | undefined;
  #isClosed = false;
  #registered:
    | {
        readonly lists: readonly unknown[];
        readonly byKind: ReadonlyMap<RegistrationKind, readonly Registered<RegistrationKind>[]>;
      }
    | undefined;

  constructor(parts: PluginsParts) {
    const { stateDir, homeDir, hooks, hostFor, warn, tell = () => {} } = parts;
    this.#parts = parts;
    this.#configuration = parts;
    this.#instanceParts = {
      stateDir,
      homeDir,
      hooks,
      hostFor,
      warn,
      tell,
      loaderOf: (where) => this.#loaderOf(where),
      tellLoaded: (plugin) => this.#tell(LOADED_TOLD_MS, plugin, (listener) => listener.loaded?.(plugin)),
      tellUnloading: (plugin, reason) =>
        this.#tell(UNLOADING_TOLD_MS, plugin, (listener) => listener.unloading?.(plugin, reason)),
      loadTimeoutMs: LOAD_TIMEOUT_MS,
    };
  }

  /** Loads what is enabled. Resolves when all have loaded or failed. */
  open(): Promise<void> {
    return this.#settleAll(false);
  }

  registered<Kind extends RegistrationKind>(kind: Kind): readonly Registered<Kind>[] {
    return (this.#byKind().get(kind) ?? []) as readonly unknown[] as readonly Registered<Kind>[];
  }

  /** A run asks for several kinds, several times. The answer is kept until a plugin is loaded or unloaded. */
  #byKind(): ReadonlyMap<RegistrationKind, readonly Registered<RegistrationKind>[]> {
    const lists = this.#instances.map(({ registrations }) => registrations);
    if (this.#registered && haveSameItems(this.#registered.lists, lists)) return this.#registered.byKind;
    const byKind = new Map<RegistrationKind, Registered<RegistrationKind>[]>();
    for (const { id, origin, isRequired, registrations } of this.#instances) {
      for (const registration of registrations) {
        const ofKind = byKind.get(registration.kind) ?? [];
        ofKind.push({ pluginId: id, origin, isRequired, registration });
        byKind.set(registration.kind, ofKind);
      }
    }
    this.#registered = { lists, byKind };
    return byKind;
  }

  subscribe(listener: PluginListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Plugins that are not loaded because another one has their id come last. */
  list(): readonly PluginStatus[] {
    return [...this.#instances.map((plugin) => plugin.status()), ...this.#shadowed];
  }

  inspect(id: string): PluginStatus {
    return this.#find(id).status();
  }

  /** The plugins that the operator requires and that do not do their work. */
  missing(): readonly MissingPlugin[] {
    const { settings } = this.#configuration;
    const isRequired = Object.values(settings.entries).some(({ required }) => required);
    return isRequired ? missingPlugins(settings, this.list()) : NONE_MISSING;
  }

  /** Reads its files and loads it again, or unloads it when they are gone. Other plugins follow their settings. */
  async reload(id: string, configuration: PluginsConfiguration = this.#configuration): Promise<PluginStatus> {
    this.#configuration = configuration;
    const { plugin, settled } = await this.#look((discovery) => {
      const plugin = this.#find(id);
      return { plugin, settled: this.#settle(discovery, (each) => each === id) };
    });
    await settled;
    this.#sayMissing();
    return plugin.status();
  }

  /** Loads every plugin again. */
  async reloadAll(configuration: PluginsConfiguration = this.#configuration): Promise<readonly PluginStatus[]> {
    this.#configuration = configuration;
    await this.#settleAll(true);
    return this.list();
  }

  /** Takes new settings: loads, reloads and unloads the plugins that they concern, and leaves the others alone. */
  async apply(configuration: PluginsConfiguration): Promise<void> {
    this.#configuration = configuration;
    await this.#settleAll(false);
  }

  /** Unloads the last plugin first. A plugin that does not stop in time is left behind. */
  async close(budgetMs = CLOSE_MS): Promise<void> {
    this.#isClosed = true;
    const unloadAll = async () => {
      await this.#looking;
      for (const plugin of this.#instances.toReversed())
        await plugin.unload('restart', 'disabled', 'The gateway is stopping.');
    };
    await within(budgetMs, unloadAll());
    await Promise.all([this.#worker, this.#inline].map(async (loader) => (await loader)?.close()));
  }

  async #settleAll(isForced: boolean): Promise<void> {
    const { settled } = await this.#look((discovery) => ({ settled: this.#settle(discovery, () => isForced) }));
    await settled;
    this.#sayMissing();
  }

  /** Begins all changes at once, and resolves when they are done. */
  #settle({ plugins }: Discovery, isForced: (id: string) => boolean): Promise<unknown> {
    const gone = this.#instances.filter(({ id }) => plugins.every((found) => found.id !== id));
    // Plugins load at once but become active in order, so that a slow plugin does not change the order.
    let before: Promise<unknown> = Promise.all(gone.map((plugin) => this.#drop(plugin)));
    for (const found of plugins) {
      const after = before;
      const settled = this.#find(found.id).settle(this.#want(found), { isForced: isForced(found.id), after });
      before = Promise.all([after, settled]);
    }
    return before;
  }

  /** Finds out which plugins there are, and lets `then` begin what follows before the next look. */
  async #look<Begun>(then: (discovery: Discovery) => Begun): Promise<Begun> {
    const looked = this.#looking.then(async () => {
      const discovery = await this.#discover();
      const known = new Map(this.#instances.map((plugin) => [plugin.id, plugin]));
      const found = discovery.plugins.map(
        (each) => known.get(each.id) ?? new PluginInstance(this.#want(each), this.#instanceParts),
      );
      const gone = this.#instances.filter((plugin) => !found.includes(plugin));
      this.#instances = [...found, ...gone];
      this.#shadowed = discovery.shadowed.map(({ plugin, by }) => this.#describeShadowed(plugin, by));
      this.#sayProblems(discovery);
      return then(discovery);
    });
    this.#looking = looked.catch(() => {});
    return looked;
  }

  /** A gateway that stops loads nothing new, and keeps its plugins until they are unloaded. */
  async #discover(): Promise<Discovery> {
    if (this.#isClosed) throw new GatewayNotReadyError({ state: 'draining' });
    const { settings, workspaceDir } = this.#configuration;
    const { stateDir, bundledDirs } = this.#parts;
    return discoverPlugins({ loadPaths: settings.loadPaths, stateDir, workspaceDir, bundledDirs });
  }

  #want(found: FoundPlugin): WantedPlugin {
    const configuration = this.#configuration;
    return { found, configuration, enablement: decideEnablement(found, configuration.settings) };
  }

  async #drop(plugin: PluginInstance): Promise<void> {
    await plugin.unload('disable', 'failed', 'Its files are gone.');
    this.#instances = this.#instances.filter((each) => each !== plugin);
  }

  #find(id: string): PluginInstance {
    const plugin = this.#instances.find((each) => each.id === id);
    if (plugin) return plugin;
    const ids = this.#instances.map((each) => each.id);
    throw new UnknownPluginError({ pluginId: id.slice(0, 200), suggestion: nearMatch(id, ids) });
  }

  #describeShadowed(found: FoundPlugin, by: FoundPlugin): PluginStatus {
    const permitted = entryOf(this.#configuration.settings, found.id)?.hooks ?? {};
    return describePlugin({ found, state: 'disabled', reason: shadowedReason(by), permitted });
  }

  /** Tells each problem once, and again when it was gone and has come back. */
  #sayProblems({ plugins, problems }: Discovery): void {
    const { enabled, slots } = this.#configuration.settings;
    const { memory } = slots;
    const hasMemory = !memory || !enabled || plugins.some(({ id }) => id === memory);
    const all = hasMemory
      ? problems
      : [...problems, `plugins.slots.memory names "${memory}", and there is no such plugin.`];
    for (const problem of all) if (!this.#said.includes(problem)) this.#parts.warn(problem);
    this.#said = all;
  }

  /** The same for plugins that are required and not at work. */
  #sayMissing(): void {
    const sentences = this.missing().map(describeMissing);
    for (const sentence of sentences) if (!this.#saidMissing.includes(sentence)) this.#parts.warn(sentence);
    this.#saidMissing = sentences;
  }

  #loaderOf(where: Where): Promise<PluginLoader> {
    const { loaders } = this.#parts;
    if (where === 'inline') {
      this.#inline ??= Promise.resolve().then(() => loaders.inline());
      return this.#inline;
    }
    this.#worker ??= Promise.resolve().then(() => loaders.worker(this.#workerEvents()));
    return this.#worker;
  }

  #workerEvents(): WorkerEvents {
    const find = (id: string) => this.#instances.find((plugin) => plugin.id === id);
    return {
      trouble: ({ culprits, reason }) => {
        for (const id of culprits) find(id)?.suspend(reason);
        this.#parts.warn(reason);
        this.#sayMissing();
      },
      reloaded: (plugin, before) => {
        const instance = find(plugin.id);
        if (instance) instance.reappear(plugin, before);
        else void plugin.unload();
      },
    };
  }

  async #tell(
    ms: number,
    { id }: LoadedPlugin,
    tell: (listener: PluginListener) => void | Promise<void> | undefined,
  ): Promise<void> {
    const tellAll = async () => {
      for (const listener of [...this.#listeners]) {
        try {
          await tell(listener);
        } catch (error) {
          this.#parts.warn(`A listener to the plugin "${id}" failed: ${(error as Error).message}`);
        }
      }
    };
    await within(ms, tellAll());
  }
}
