// Loads third-party plugins into one worker, which is ended when one of them spins, uses up its memory, ends it or
// changes built-ins that all of them share.
// Then the culprit is named and left out, and the others are loaded again in a new worker, where calls that were waiting
// go on. The worker is started with the first plugin.
//
// Errors: `load` never rejects for what a plugin does. See WorkerPlugin for calls.

import { oneLine } from '../../protocol/one-line.ts';
import type { PluginWorkerSettings } from '../../protocol/plugin-settings.ts';
import type { LoadFailure, LoadResult, PluginLoader, WorkerEvents, WorkerTrouble } from '../loaded-plugin.ts';
import type { LoadPluginSettings, PluginDraft } from '../loading/load-plugin.ts';
import { lostReason, lostRegistrations } from '../lost-registrations.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import { isCall } from './activity-board.ts';
import { HANDLERS_IN_WORKER } from './hook-rounds.ts';
import { Wire } from './wire.ts';
import { MAX_QUESTION_BYTES } from './worker-messages.ts';
import { isAwaited, type WorkerConnection, type WorkerGuest, WorkerPlugin } from './worker-plugin.ts';
import { type WorkerEnd, WorkerThread } from './worker-thread.ts';

export interface WorkerPluginsSettings extends PluginWorkerSettings {
  readonly events: WorkerEvents;
  readonly now: () => number;
  /** One sentence for the operator. */
  readonly warn: (sentence: string) => void;
  readonly registerTimeoutMs?: number | undefined;
  readonly loadSilenceMs?: number | undefined;
  readonly restartWaitMs?: number | undefined;
}

const LOAD_SILENCE_MS = 10_000;
const MANY_RESTARTS = 5;
const RESTARTS_WINDOW_MS = 60_000;
const RESTART_WAIT_MS = 10_000;
const CLOSE_MS = 2_000;

/** A plugin that is being loaded, in one life of the worker. */
interface PendingLoad {
  readonly plugin: WorkerPlugin;
  readonly thread: WorkerThread;
  readonly slot: number;
  readonly wire: Wire;
}

/** What was found out about the end of a worker. */
interface Diagnosis {
  readonly culprit: WorkerPlugin | undefined;
  readonly reason: string;
}

export class WorkerPlugins implements PluginLoader {
  readonly #settings: WorkerPluginsSettings;
  /** In the order in which they were loaded. */
  readonly #plugins = new Set<WorkerPlugin>();
  readonly #loads = new Set<PendingLoad>();
  readonly #diagnoses = new WeakMap<WorkerThread, Diagnosis>();
  #thread: Promise<WorkerThread> | undefined;
  #current: WorkerThread | undefined;
  /** When it was ended, within the last minute. */
  #ends: readonly number[] = [];
  #wakeUp = () => {};
  #isClosed = false;

  constructor(settings: WorkerPluginsSettings) {
    this.#settings = settings;
  }

  load(setup: PluginSetup, host: PluginHost): Promise<LoadResult> {
    return this.admit({ setup, host, events: this.#settings.events });
  }

  /** Loads a plugin or a handler file, and tells its own listener what becomes of it. */
  async admit(guest: WorkerGuest): Promise<LoadResult> {
    const plugin = new WorkerPlugin(guest, HANDLERS_IN_WORKER, (left) => this.#plugins.delete(left));
    this.#plugins.add(plugin);
    const result = await this.#loadInWorker(plugin);
    if ('connection' in result) {
      plugin.connect(result.connection);
      return { ok: true, plugin: plugin.show(result.connection) };
    }
    this.#plugins.delete(plugin);
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakeUp();
    for (const plugin of [...this.#plugins]) plugin.unload();
    await this.#current?.close(CLOSE_MS);
  }

  /** Loads it in the worker, or in the next one when this one ends meanwhile because of another plugin. */
  async #loadInWorker(
    plugin: WorkerPlugin,
  ): Promise<Exclude<LoadResult, { ok: true }> | { readonly connection: WorkerConnection }> {
    for (;;) {
      if (this.#isClosed || plugin.isGone) return failure('It was unloaded before it had loaded.');
      let thread: WorkerThread;
      try {
        thread = await this.#startThread();
      } catch (error) {
        return failure(`The plugin worker did not start: ${oneLine(error)}`);
      }
      const result = await this.#loadIn(plugin, thread);
      if (result !== undefined) return result;
      const { culprit, reason } = this.#diagnoses.get(thread) ?? { culprit: undefined, reason: '' };
      if (culprit === plugin) return { ...failure(reason), endedWorker: true };
    }
  }

  /** Undefined when the worker ended. */
  async #loadIn(
    plugin: WorkerPlugin,
    thread: WorkerThread,
  ): Promise<Exclude<LoadResult, { ok: true }> | { readonly connection: WorkerConnection } | undefined> {
    const { setup, host } = plugin;
    const place = thread.openSlot(setup.id);
    if (!place) return failure('There is no place left in the plugin worker.');
    const { slot, port } = place;
    const wire = new Wire({
      pluginId: setup.id,
      noun: plugin.noun,
      port,
      maxBytes: MAX_QUESTION_BYTES,
      maxCalls: Number.POSITIVE_INFINITY,
    });
    const load: PendingLoad = { plugin, thread, slot, wire };
    this.#loads.add(load);
    const settings: LoadPluginSettings = { registerTimeoutMs: this.#settings.registerTimeoutMs };
    try {
      const arrived = (await wire.callRoot([setup, host, settings])) as PluginDraft;
      const lost = arrived.ok ? lostRegistrations(arrived.registered, arrived.registrations) : [];
      if (arrived.ok && lost.length === 0 && !this.#isClosed && !plugin.isGone) {
        const { registrations, notes } = arrived;
        return { connection: { thread, slot, wire, registrations, notes } };
      }
      wire.end(() => plugin.goneError());
      thread.closeSlot(slot);
      if (lost.length > 0) return { ...failure(lostReason(lost)), notes: arrived.notes };
      return arrived.ok ? failure('It was unloaded before it had loaded.') : arrived;
    } catch (error) {
      if (thread.hasEnded) return undefined;
      wire.end(() => plugin.goneError());
      thread.closeSlot(slot);
      return failure(`It could not be loaded in the worker: ${oneLine(error)}`);
    } finally {
      this.#loads.delete(load);
    }
  }

  #startThread(): Promise<WorkerThread> {
    // One that could not be started is tried again with the next load.
    this.#thread ??= this.#start().catch((error: unknown) => {
      this.#thread = undefined;
      throw error;
    });
    return this.#thread;
  }

  async #start(): Promise<WorkerThread> {
    await this.#waitAfterMany();
    const { memoryMb, heartbeatMs, loadSilenceMs = LOAD_SILENCE_MS } = this.#settings;
    if (this.#isClosed) throw new Error('the gateway is stopping');
    const thread: WorkerThread = new WorkerThread({
      memoryMb,
      heartbeatMs,
      loadSilenceMs,
      isLoading: (slot) => [...this.#loads].some((each) => each.thread === thread && each.slot === slot),
      isAwaited: () =>
        [...this.#plugins].some(({ connection }) => connection?.thread === thread && isAwaited(connection)),
    });
    this.#current = thread;
    try {
      await thread.ready;
    } catch (error) {
      this.#ends = [...this.#ends, this.#settings.now()];
      throw error;
    }
    void thread.ended.then((end) => this.#afterEnd(thread, end));
    return thread;
  }

  async #waitAfterMany(): Promise<void> {
    const { now, warn, restartWaitMs = RESTART_WAIT_MS } = this.#settings;
    this.#ends = this.#ends.filter((at) => now() - at < RESTARTS_WINDOW_MS);
    if (this.#ends.length < MANY_RESTARTS) return;
    const what = `The plugin worker was ended ${this.#ends.length} times within a minute`;
    warn(`${what}; it is started again in ${Math.ceil(restartWaitMs / 1_000)} s. Plugins in it wait until then.`);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, restartWaitMs);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #afterEnd(thread: WorkerThread, end: WorkerEnd): void {
    this.#thread = undefined;
    if (this.#isClosed || end.cause === 'closed') {
      for (const { wire, plugin } of this.#loads) wire.end(() => plugin.goneError());
      return;
    }
    const { now, events } = this.#settings;
    this.#ends = [...this.#ends, now()];
    const moving = [...this.#plugins].filter(({ connection }) => connection?.thread === thread);
    const arriving = [...this.#loads].filter((each) => each.thread === thread);
    const diagnosis = this.#diagnose(thread, end, moving, arriving);
    this.#diagnoses.set(thread, diagnosis);
    const { culprit, reason } = diagnosis;
    if (culprit && moving.includes(culprit)) culprit.fail(culprit.workerError(culprit, reason));
    for (const plugin of moving) plugin.disconnect(reason, culprit);
    for (const { wire, plugin } of arriving) wire.end(() => plugin.workerError(culprit, reason));
    // A load that failed is told by its answer; what was loaded is told here.
    if (!culprit || moving.includes(culprit)) {
      const culprits = culprit ? [culprit.setup.id] : [];
      this.#tell(() => (culprit?.events ?? events).trouble({ culprits, cause: causeOf(end), reason }));
    }
    this.#reloadAll(moving.filter((plugin) => plugin !== culprit));
  }

  #diagnose(
    thread: WorkerThread,
    end: WorkerEnd,
    moving: readonly WorkerPlugin[],
    arriving: readonly PendingLoad[],
  ): Diagnosis {
    const { board } = thread;
    const plugins = new Map<
      number,
      { readonly plugin: WorkerPlugin; readonly wire: Wire; readonly isLoading: boolean }
    >();
    for (const plugin of moving) {
      if (plugin.connection)
        plugins.set(plugin.connection.slot, { plugin, wire: plugin.connection.wire, isLoading: false });
    }
    for (const { plugin, slot, wire } of arriving) plugins.set(slot, { plugin, wire, isLoading: true });
    const { slot: running, call } = end.by ?? board.now;
    if (running !== 0 && !plugins.has(running)) {
      const left = `code that the plugin "${thread.pluginAt(running)}" had left behind when it was unloaded`;
      return { culprit: undefined, reason: sentenceOf(end, left, '', this.#settings.memoryMb) };
    }
    const busy = [...plugins].flatMap(([slot, { wire, isLoading }]) =>
      isLoading || wire.callsInProgress.some(({ number }) => board.hasBegun(slot, number)) ? [slot] : [],
    );
    const found = findCulprit({ running, lastRan: board.lastSlot, busy, present: [...plugins.keys()] });
    const at = found && plugins.get(found.slot);
    if (!found || !at) return { culprit: undefined, reason: sentenceOf(end, 'something', '', this.#settings.memoryMb) };
    const inProgress = at.wire.callsInProgress.find(({ number }) => running !== 0 && isCall(call, number));
    const label = inProgress?.label;
    const isOwnWork = running !== 0 && end.by === undefined;
    const place = at.isLoading
      ? ' while it was loaded'
      : label
        ? ` in ${label}`
        : isOwnWork
          ? ' in work of its own'
          : '';
    const sentence = sentenceOf(end, at.plugin.title, place, this.#settings.memoryMb);
    const others = found.suspects.flatMap((slot) => plugins.get(slot)?.plugin.setup.id ?? []);
    const doubt = others.length > 1 ? ` It is not certain which one it was of ${others.join(', ')}.` : '';
    return { culprit: at.plugin, reason: sentence + doubt };
  }

  /** Plugins are loaded at once and reported in order, so that a slow plugin does not change the order. */
  #reloadAll(plugins: readonly WorkerPlugin[]): void {
    let told: Promise<unknown> = Promise.resolve();
    for (const plugin of plugins) {
      const before = told;
      told = this.#reload(plugin, before);
    }
  }

  /** An error of a listener ends here. */
  #tell(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#settings.warn(`A listener to the plugin worker failed: ${oneLine(error)}`);
    }
  }

  async #reload(plugin: WorkerPlugin, turn: Promise<unknown>): Promise<void> {
    const { events } = plugin;
    const result = await this.#loadInWorker(plugin);
    if (plugin.isGone) {
      if ('connection' in result) result.connection.wire.end(() => plugin.goneError());
      return;
    }
    if ('connection' in result) {
      plugin.connect(result.connection);
      await turn;
      // It may have had to move again before its turn came, which is told then.
      if (plugin.connection !== result.connection) return;
      const { shown } = plugin;
      if (shown) this.#tell(() => events.reloaded(plugin.show(result.connection), shown));
      return;
    }
    const { id } = plugin.setup;
    const why = 'reason' in result ? result.reason : `it now needs ${result.needsInline.join(', ')}`;
    const reason = `The ${plugin.noun} "${id}" could not be loaded again after the plugin worker had been ended: ${why}`;
    plugin.fail(plugin.workerError(plugin, reason));
    await turn;
    this.#tell(() => events.trouble({ culprits: [id], cause: 'reload-failed', reason }));
  }
}

function failure(reason: string): LoadFailure {
  return { ok: false, reason, notes: [] };
}

function causeOf({ cause }: WorkerEnd): WorkerTrouble['cause'] {
  return cause === 'closed' ? 'exit' : cause;
}

function sentenceOf({ cause, detail }: WorkerEnd, who: string, place: string, memoryMb: number): string {
  const text = {
    spin: `${who} kept the plugin worker busy for ${detail} without a pause${place}, so the worker was ended.`,
    memory: `${who} was running when the plugin worker had used up its ${memoryMb} MB of memory${place}.`,
    exit: `${who} ended the plugin worker${place}: ${detail}.`,
    tampering: `${who} changed built-ins that all plugins share${place}: ${detail}. The plugin worker was ended, and the others run in a new one.`,
    crash: `${who} made the plugin worker fail${place}: ${oneLine(detail)}.`,
    closed: 'the plugin worker was closed.',
  }[cause];
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export interface WorkerEvidence {
  /** The place of the plugin whose code ran; 0 means no plugin. */
  readonly running: number;
  readonly lastRan: number;
  /** Those that were being loaded or had begun a call that they had not answered. */
  readonly busy: readonly number[];
  readonly present: readonly number[];
}

export interface Culprit {
  readonly slot: number;
  /** All places that could have been the cause, when that is not certain. */
  readonly suspects: readonly number[];
}

export function findCulprit({ running, lastRan, busy, present }: WorkerEvidence): Culprit | undefined {
  if (present.includes(running)) return { slot: running, suspects: [] };
  const suspects = busy.length > 0 ? busy : present;
  const [first, ...others] = suspects;
  if (first === undefined) return undefined;
  if (others.length === 0 && busy.length > 0) return { slot: first, suspects: [] };
  return { slot: suspects.includes(lastRan) ? lastRan : first, suspects };
}
