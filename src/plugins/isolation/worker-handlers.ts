// Handler files in the worker that plugins run in. A file that several agents use is loaded once, and stays loaded as long
// as one of them holds its handler. A handler whose code ended the worker is not called again, and its file is not loaded
// again until it has changed or `forget` was called; the others go on in the next worker.
//
// Errors: `load` never rejects for what a file does. A call rejects as WorkerPlugin says.

import { stat } from 'node:fs/promises';
import type { Suspension } from '../../hooks/breaker.ts';
import { HookHandlerLoadError } from '../../hooks/errors.ts';
import type { HookHandlerFile } from '../../hooks/packs/load-hook-handler.ts';
import type { AtriumError } from '../../protocol/errors.ts';
import type { HandlerSetup } from '../handler-setup.ts';
import type { LoadedPlugin, LoadFailure } from '../loaded-plugin.ts';
import type { PluginLogEntry } from '../plugin-host.ts';
import type { WorkerPlugins } from './worker-plugins.ts';

export interface WorkerHandlersParts {
  /** The worker, which is started with the first file. */
  readonly worker: () => Promise<Pick<WorkerPlugins, 'admit'>>;
  readonly setupOf: (file: HookHandlerFile) => HandlerSetup;
  readonly log: (setup: HandlerSetup, entry: PluginLogEntry) => void;
  /** One sentence for the operator. */
  readonly warn: (sentence: string) => void;
  /** How one that ended the worker is called again, in one sentence; the default is a command for hooks. */
  readonly remedyFor?: ((setup: HandlerSetup) => string) | undefined;
  readonly now: () => number;
}

export type LoadedWorkerHandler =
  | {
      readonly ok: true;
      /** Takes an event that can cross, and gives what `answerEvent` of the program gave. */
      readonly call: (event: object) => Promise<unknown>;
      /** Set once its code has ended the worker. */
      readonly suspension: () => Suspension | undefined;
      /** Whether the worker cannot come to its calls right now. */
      readonly isHeldUp: () => boolean;
    }
  | { readonly ok: false; readonly error: AtriumError };

type Handler = Extract<LoadedWorkerHandler, { ok: true }>;

/** The one registration of a handler file. */
interface HandlerStandIn {
  readonly handler: Handler['call'];
  readonly isHeldUp?: Handler['isHeldUp'];
}

export class WorkerHandlers {
  readonly #parts: WorkerHandlersParts;
  /** Those that are being loaded, or that somebody holds, by file and export. */
  readonly #handlers = new Map<string, Promise<LoadedWorkerHandler> | WeakRef<Handler>>();
  /** Those that ended the worker, when they were loaded or when they were called. */
  readonly #dangerous = new Map<string, LoadedWorkerHandler>();
  readonly #dropped = new FinalizationRegistry<LoadedPlugin>((plugin) => void plugin.unload());

  constructor(parts: WorkerHandlersParts) {
    this.#parts = parts;
  }

  async load(file: HookHandlerFile): Promise<LoadedWorkerHandler> {
    const key = await keyOf(file);
    const dangerous = this.#dangerous.get(key);
    if (dangerous) return dangerous;
    const known = this.#handlers.get(key);
    const held = known instanceof WeakRef ? known.deref() : known;
    if (held) return held;
    const loading = this.#load(file, key);
    this.#handlers.set(key, loading);
    const loaded = await loading;
    if (this.#handlers.get(key) === loading) {
      if (loaded.ok) this.#handlers.set(key, new WeakRef(loaded));
      else this.#handlers.delete(key);
    }
    return loaded;
  }

  /** Loads every file again that is asked for from now on, except those that ended the worker and have not changed. */
  refresh(): void {
    this.#handlers.clear();
  }

  /** Loads every file again that is asked for from now on. */
  forget(): void {
    this.refresh();
    this.#dangerous.clear();
  }

  async #load(file: HookHandlerFile, key: string): Promise<LoadedWorkerHandler> {
    const { worker, setupOf, warn, now } = this.#parts;
    const { remedyFor = ({ id }) => `Let it be called again with: atrium hooks rearm ${id}` } = this.#parts;
    const setup = setupOf(file);
    let suspension: Suspension | undefined;
    let handler: Handler | undefined;
    const log = (entry: PluginLogEntry) => this.#parts.log(setup, entry);
    const result = await (await worker()).admit({
      setup,
      host: { log },
      events: {
        trouble: ({ reason }) => {
          suspension = { reason: reason.charAt(0).toLowerCase() + reason.slice(1), at: now() };
          if (handler) this.#dangerous.set(key, handler);
          warn(`${reason} It is not called any more. ${remedyFor(setup)}`);
        },
        reloaded: () => {},
      },
    });
    if (!result.ok) return this.#failed(file, key, result as LoadFailure);
    const [registration] = result.plugin.registrations;
    const { handler: call, isHeldUp = () => false } = registration as unknown as HandlerStandIn;
    handler = { ok: true, call: (event) => call(event), suspension: () => suspension, isHeldUp };
    this.#dropped.register(handler, result.plugin);
    return handler;
  }

  #failed({ hook, path }: HookHandlerFile, key: string, failure: LoadFailure): LoadedWorkerHandler {
    const reason = failure.reason.replace(/\.$/, '');
    const error = (failure.error as AtriumError | undefined) ?? new HookHandlerLoadError({ hook, path, reason });
    const failed: LoadedWorkerHandler = { ok: false, error };
    if (failure.endedWorker) this.#dangerous.set(key, failed);
    return failed;
  }
}

/** Changes when the file is written again. */
async function keyOf({ hook, path, exportName }: HookHandlerFile): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return JSON.stringify([hook, path, exportName, found?.ino, found?.mtimeMs, found?.size]);
}
