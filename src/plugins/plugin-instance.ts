// One plugin of a running gateway: its state, and every step from one state to the next. Steps are taken one after the
// other. A new generation replaces the old one in a single moment, so that a caller sees one of them and never both, and
// a gate is never missing while its plugin is loaded again.
//
// Errors: none. A failure becomes the state of this plugin.

import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../protocol/one-line.ts';
import { within } from '../protocol/time-limit.ts';
import { type ArmedHooks, armHooks } from './arm-hooks.ts';
import { type CheckedConfig, checkPluginConfig } from './discovery/check-plugin-config.ts';
import { type Enablement, entryOf } from './discovery/decide-enablement.ts';
import { type FoundPlugin, integrityOf } from './discovery/discover-plugins.ts';
import type { LoadedPlugin, LoadFailure, LoadResult, PluginLoader, PluginNote } from './loaded-plugin.ts';
import type { PluginSetup } from './plugin-setup.ts';
import { describePlugin, type PluginState, type PluginStatus } from './plugin-status.ts';
import type { PluginsConfiguration, PluginsParts } from './plugins-parts.ts';
import type { CleanupReason, PluginRegistration } from './registration.ts';

export interface PluginInstanceParts extends Pick<PluginsParts, 'stateDir' | 'homeDir' | 'hooks' | 'hostFor' | 'warn'> {
  readonly loaderOf: (where: Where) => Promise<PluginLoader>;
  /** Resolves when all listeners have been told. */
  readonly tellLoaded: (plugin: LoadedPlugin) => Promise<void>;
  readonly tellUnloading: (plugin: LoadedPlugin, reason: CleanupReason) => Promise<void>;
  readonly tell: (pluginId: string, sentence: string) => void;
  /** How long a load may take before it counts as failed. */
  readonly loadTimeoutMs: number;
}

export type Where = 'worker' | 'inline';

/** What the operator wants of it now. */
export interface WantedPlugin {
  readonly found: FoundPlugin;
  readonly enablement: Enablement;
  readonly configuration: PluginsConfiguration;
}

export interface SettleOptions {
  /** Loads it again although nothing has changed. */
  readonly isForced: boolean;
  /** It replaces the old generation after this, so that plugins that load at once keep their order. */
  readonly after?: Promise<unknown> | undefined;
}

interface Generation {
  readonly plugin: LoadedPlugin;
  readonly setup: PluginSetup;
  readonly armed: ArmedHooks;
  readonly whyThere: string;
  readonly notes: readonly PluginNote[];
  /** The settings that it was loaded with. When they change, it is loaded again or unloaded. */
  readonly settings: string;
}

type Loading = (Omit<Generation, 'armed'> & { readonly ok: true }) | LoadFailure;

export class PluginInstance {
  readonly id: string;
  readonly #parts: PluginInstanceParts;
  #wanted: WantedPlugin;
  #current: Generation | undefined;
  #state: PluginState = 'pending';
  #reason = 'It has not been loaded yet.';
  /** The notes of the last attempt to load it, when that failed. */
  #failureNotes: readonly PluginNote[] = [];
  /** The settings of that attempt, so that it is not repeated without a change. */
  #failedSettings: string | undefined;
  #isChanged = false;
  /** The warnings of the last load. */
  #told: readonly string[] = [];
  #generation = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #described: { readonly from: readonly unknown[]; readonly status: PluginStatus } | undefined;

  constructor(wanted: WantedPlugin, parts: PluginInstanceParts) {
    this.id = wanted.found.id;
    this.#wanted = wanted;
    this.#parts = parts;
  }

  /** What it registered, as long as it can be used. */
  get registrations(): readonly PluginRegistration[] {
    return this.#state === 'loaded' ? (this.#current?.plugin.registrations ?? NOTHING) : NOTHING;
  }

  get origin() {
    return this.#current?.setup.origin ?? this.#wanted.found.origin;
  }

  get isRequired(): boolean {
    return this.#current?.setup.isRequired === true;
  }

  get isLoaded(): boolean {
    return this.#current !== undefined;
  }

  /** The same object until something changes, because every run looks at it. */
  status(): PluginStatus {
    const from = [
      this.#wanted,
      this.#current,
      this.#state,
      this.#reason,
      this.#failureNotes,
      this.#isChanged,
      this.#generation,
    ];
    if (!this.#described || !haveSameItems(this.#described.from, from)) {
      this.#described = { from, status: this.#describe() };
    }
    return this.#described.status;
  }

  #describe(): PluginStatus {
    const { found, configuration } = this.#wanted;
    const current = this.#current;
    return describePlugin({
      found,
      state: this.#state,
      reason: this.#reason,
      generation: current?.setup.generation ?? this.#generation,
      permitted: entryOf(configuration.settings, this.id)?.hooks ?? {},
      where: current?.plugin.where ?? null,
      whyThere: current?.whyThere ?? null,
      registrations: current?.plugin.registrations ?? [],
      hooks: current?.armed.statuses ?? [],
      notes: [...(current ? [...current.notes, ...current.armed.notes] : []), ...this.#failureNotes],
      isChanged: this.#isChanged,
    });
  }

  /** Loads or unloads it, as the settings want. */
  settle(wanted: WantedPlugin, { isForced, after }: SettleOptions): Promise<void> {
    return this.#next(async () => {
      this.#wanted = wanted;
      const { enabled, reason } = wanted.enablement;
      if (!enabled) {
        await this.#leave('disable', 'disabled', reason);
        return;
      }
      const settings = settingsOf(wanted);
      if (!isForced && (this.#current?.settings ?? this.#failedSettings) === settings) return;
      const loading = await this.#load(wanted, settings);
      await after;
      if (loading.ok) await this.#replace(loading);
      else await this.#fail(loading, settings);
    });
  }

  /** Unloads it, because its files are gone or the gateway stops. */
  unload(cleanup: CleanupReason, state: 'disabled' | 'failed', reason: string): Promise<void> {
    return this.#next(() => this.#leave(cleanup, state, reason));
  }

  /** The worker was ended because of it. Its gates refuse from now on, and nothing else of it is used. */
  suspend(reason: string): void {
    if (this.#current === undefined) return;
    this.#state = 'suspended';
    this.#reason = `${reason} Run "atrium plugins reload ${this.id}" to try it again.`;
    this.#parts.hooks.suspend(this.id, this.#reason);
    const { plugin } = this.#current;
    void this.#next(() => this.#parts.tellUnloading(plugin, 'restart'));
  }

  /** It runs again in a new worker, from the same setup. */
  reappear(plugin: LoadedPlugin, before: LoadedPlugin): void {
    const current = this.#current;
    if (current === undefined || current.plugin !== before) {
      void plugin.unload();
      return;
    }
    this.#takePlace({ ...current, plugin });
    void this.#next(async () => {
      await this.#parts.tellUnloading(before, 'restart');
      if (this.#current?.plugin === plugin) await this.#parts.tellLoaded(plugin);
    });
  }

  async #load(wanted: WantedPlugin, settings: string): Promise<Loading> {
    const { found, configuration } = wanted;
    if (found.problem !== undefined || found.entryPath === null) {
      return failure(found.problem ?? 'It has no file that could be loaded.');
    }
    const entry = entryOf(configuration.settings, this.id);
    const checked = await checkPluginConfig(this.id, found.manifest.configSchema, entry?.config);
    if (!checked.ok) return failure(checked.problems.join(' '));
    const setup: PluginSetup = {
      id: this.id,
      name: found.name,
      version: found.manifest.version,
      description: found.manifest.description,
      origin: found.origin,
      entryPath: found.entryPath,
      rootDir: found.rootDir,
      manifest: found.manifest,
      registrationMode: 'full',
      config: configuration.config,
      pluginConfig: checked.config,
      hooks: entry?.hooks ?? {},
      isRequired: entry?.required,
      stateDir: this.#parts.stateDir,
      workspaceDir: configuration.workspaceDir,
      homeDir: this.#parts.homeDir,
      holdsMemorySlot: wanted.enablement.holdsMemorySlot,
      generation: ++this.#generation,
    };
    const [loading] = await Promise.all([this.#loadSomewhere(wanted, setup), this.#compareWithInstall(found)]);
    if (!loading.ok) return loading;
    return { ...loading, setup, settings, notes: [...notesOf(checked), ...loading.notes] };
  }

  /** In the worker, unless it comes with the product or the operator wants it in the gateway. */
  async #loadSomewhere({ found, configuration }: WantedPlugin, setup: PluginSetup): Promise<LoadedSomewhere> {
    const isolation = entryOf(configuration.settings, this.id)?.isolation;
    const setting = `plugins.entries.${this.id}.isolation`;
    if (isolation === undefined && found.origin === 'bundled') return this.#loadIn('inline', setup, BUNDLED);
    if (isolation === 'inline') return this.#loadIn('inline', setup, `${setting} is "inline".`);
    const result = await this.#loadIn('worker', setup, IN_WORKER);
    if (result.ok || result.needsInline === undefined) return result;
    const what = `It needs ${result.needsInline.join(', ')}, which only the main thread has, and plugins run in the worker.`;
    const remedy = `If you trust it, set ${setting} to "inline": then it runs in the gateway itself, where nothing can stop it.`;
    return { ...failure(`${what} ${remedy}`), notes: result.notes };
  }

  async #loadIn(where: Where, setup: PluginSetup, whyThere: string): Promise<LoadedSomewhere> {
    const result = await this.#loadInTime(where, setup);
    if (result.ok) return { ok: true, plugin: result.plugin, whyThere, notes: result.plugin.notes };
    if ('reason' in result) return { ok: false, reason: result.reason, notes: result.notes };
    const reason = `It needs ${result.needsInline.join(', ')}, which it cannot have here.`;
    return { ok: false, reason, notes: result.notes, needsInline: where === 'worker' ? result.needsInline : undefined };
  }

  async #loadInTime(where: Where, setup: PluginSetup): Promise<LoadResult> {
    const { loaderOf, hostFor, loadTimeoutMs } = this.#parts;
    const loading = loaderOf(where)
      .then((loader) => loader.load(setup, hostFor(this.id)))
      .catch((error: unknown) => failure(`Loading it failed: ${errorText(error)}`));
    if (await within(loadTimeoutMs, loading)) return loading;
    // A plugin that is loaded after its time must not stay loaded.
    void loading.then((result) => {
      if (result.ok) void result.plugin.unload();
    });
    return failure(`It was not loaded after ${loadTimeoutMs / 1_000} s.`);
  }

  async #compareWithInstall(found: FoundPlugin): Promise<void> {
    if (found.install === undefined) return;
    const integrity = await integrityOf(found);
    const isChanged = integrity !== undefined && integrity !== found.install.integrity;
    if (isChanged && !this.#isChanged) {
      this.#parts.warn(
        `The files of the plugin "${this.id}" are not what was installed from ${found.install.spec}. If you did not change them, install it again.`,
      );
    }
    this.#isChanged = isChanged;
  }

  async #replace(loading: Loading & { readonly ok: true }): Promise<void> {
    const before = this.#current;
    if (before && this.#state === 'loaded') await this.#parts.tellUnloading(before.plugin, 'restart');
    this.#takePlace(loading);
    this.#state = 'loaded';
    this.#reason = this.#wanted.enablement.reason;
    this.#failureNotes = [];
    this.#failedSettings = undefined;
    this.#tellWarnings();
    await this.#parts.tellLoaded(loading.plugin);
    if (before) await untilIdle(before.plugin);
    await before?.plugin.unload();
  }

  /** Warns of every handler that will not be called. Each warning is told once, until the problem is gone. */
  #tellWarnings(): void {
    const sentences = this.status().notes.flatMap(({ level, message }) => (level === 'info' ? [] : [message]));
    const news = sentences.filter((each) => !this.#told.includes(each));
    this.#told = sentences;
    const rest = news.length - MOST_TOLD;
    const more = `${rest} more of this kind; "atrium plugins inspect ${this.id}" shows them.`;
    for (const sentence of news.slice(0, MOST_TOLD)) this.#parts.tell(this.id, sentence);
    if (rest > 0) this.#parts.tell(this.id, more);
  }

  /** Replaces one generation by another in a single moment: no other code runs in between. */
  #takePlace(next: Omit<Generation, 'armed'>): void {
    this.#current?.armed.undo();
    this.#parts.hooks.rearm({ owner: this.id });
    const { plugin, setup } = next;
    this.#current = { ...next, armed: armHooks(this.#parts.hooks, setup, plugin.registrations, plugin.where) };
  }

  /** When new code does not load, the old generation stays, but only as long as its settings are unchanged. */
  async #fail({ reason, notes }: LoadFailure, settings: string): Promise<void> {
    const current = this.#current;
    this.#failureNotes = [...notes, { level: 'error', code: 'load-failed', message: reason }];
    this.#failedSettings = settings;
    this.#parts.warn(`The plugin "${this.id}" was not loaded: ${reason}`, { pluginId: this.id });
    if (current !== undefined && current.settings === settings) {
      const remains = this.#state === 'suspended' ? 'It stays suspended' : 'What was loaded before goes on';
      this.#reason = `${remains}; loading it again failed: ${reason}`;
      return;
    }
    // Its stored values are kept for when it is repaired.
    await this.#leave('restart', 'failed', reason);
  }

  async #leave(cleanup: CleanupReason, state: PluginState, reason: string): Promise<void> {
    const before = this.#current;
    // A suspended plugin was told to clean up for a restart, but not that it is disabled.
    const isNews = this.#state === 'loaded' || cleanup !== 'restart';
    if (before && isNews) await this.#parts.tellUnloading(before.plugin, cleanup);
    this.#current = undefined;
    this.#state = state;
    this.#reason = reason;
    if (state !== 'failed') {
      this.#failureNotes = [];
      this.#failedSettings = undefined;
    }
    if (!before) return;
    before.armed.undo();
    this.#parts.hooks.rearm({ owner: this.id });
    await before.plugin.unload();
  }

  #next(step: () => Promise<void>): Promise<void> {
    const taken = this.#queue.then(step).catch((error: unknown) => {
      // Only an error of this program gets here.
      this.#parts.warn(`The plugin "${this.id}" could not be changed: ${(error as Error).message}`, {
        pluginId: this.id,
      });
    });
    this.#queue = taken;
    return taken;
  }
}

/** How long calls of the old generation may go on. */
const GRACE_MS = 5_000;
const LOOK_MS = 5;

/** Waits until the plugin is idle at two looks, because an event may follow right after a call. */
async function untilIdle(plugin: LoadedPlugin): Promise<void> {
  const endsAt = performance.now() + GRACE_MS;
  for (let idle = 0; idle < 2 && performance.now() < endsAt; ) {
    await sleep(LOOK_MS);
    idle = plugin.isBusy?.() ? 0 : idle + 1;
  }
}

/** The most warnings at one load; some plugins register dozens of things that have no use here. */
const MOST_TOLD = 5;

type LoadedSomewhere =
  | (Pick<Generation, 'plugin' | 'whyThere' | 'notes'> & { readonly ok: true })
  | (LoadFailure & { readonly needsInline?: readonly string[] | undefined });

/** Everything that it would be loaded with, to see whether that has changed. */
function settingsOf({ found, enablement, configuration }: WantedPlugin): string {
  const { config, hooks, isolation, required } = entryOf(configuration.settings, found.id) ?? {};
  const { entryPath, rootDir, origin, manifest, problem } = found;
  const { holdsMemorySlot } = enablement;
  const settings = [config, hooks, isolation, required];
  return JSON.stringify([entryPath, rootDir, origin, manifest, problem, holdsMemorySlot, settings]);
}

function failure(reason: string): LoadFailure {
  return { ok: false, reason, notes: [] };
}

function notesOf(checked: CheckedConfig): readonly PluginNote[] {
  if (!checked.ok || checked.warning === undefined) return [];
  return [{ level: 'warn', code: 'config-schema', message: checked.warning }];
}

const NOTHING: readonly PluginRegistration[] = [];
const BUNDLED = 'It comes with the product.';
const IN_WORKER = 'Plugins run in the worker, where they can be stopped when they spin.';

export function haveSameItems(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((item, index) => Object.is(item, now[index]));
}
