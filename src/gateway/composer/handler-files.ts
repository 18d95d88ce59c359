// Decides where the code of a handler runs, and loads it there. The product's own handlers run in this process; hook packs
// and modules that the configuration names run in the plugin worker, which can be ended when their code spins or ends it.
// Only what the operator set to `inline` by name runs here as well, and is listed, because it cannot be stopped.

import { adoptAnswer, crossingEvent, type EventAnswer } from '../../context/crossing-event.ts';
import type { HookPack } from '../../hooks/packs/hook-pack.ts';
import {
  findHandlerFile,
  type HookHandlerFile,
  type LoadedHookHandler,
  loadHookHandler,
} from '../../hooks/packs/load-hook-handler.ts';
import type { LoadedWorkerHandler } from '../../plugins/isolation/worker-handlers.ts';

export interface HandlerFilesParts {
  /** The worker's side. Asked for with the first file that belongs there. */
  readonly worker: () => Promise<WorkerSide>;
  /** What a file may import by name when it is evaluated in this process. */
  readonly modulesFor: (file: HookHandlerFile) => Promise<Record<string, unknown>>;
}

export interface WorkerSide {
  load(file: HookHandlerFile): Promise<LoadedWorkerHandler>;
  refresh(): void;
  forget(): void;
}

export class HandlerFiles {
  readonly #parts: HandlerFilesParts;
  readonly #inline = new Set<string>();
  #worker: Promise<WorkerSide> | undefined;

  constructor(parts: HandlerFilesParts) {
    this.#parts = parts;
  }

  /** One sentence for each that runs in this process because the operator wants it there. */
  get inline(): readonly string[] {
    return [...this.#inline].map((who) => `${who} runs in the gateway itself, where nothing can stop it.`);
  }

  /** Never rejects for what a file does. */
  async load(file: HookHandlerFile): Promise<LoadedHookHandler> {
    if (file.isBundled) return loadHookHandler(file);
    const found = await findHandlerFile(file);
    // The worker is not started for a file that is not there.
    if (!found.ok) return found;
    if (file.isInline) {
      this.#inline.add(whoIs(file));
      return loadHookHandler(file, { virtualModules: await this.#parts.modulesFor(file) });
    }
    this.#worker ??= this.#parts.worker();
    const loaded = await (await this.#worker).load(file);
    if (!loaded.ok) return loaded;
    return {
      ok: true,
      handler: async (event) => adoptAnswer(event, (await loaded.call(crossingEvent(event))) as EventAnswer),
      suspension: loaded.suspension,
      isHeldUp: loaded.isHeldUp,
    };
  }

  /** For a test of the pack, which runs in this process. */
  modulesFor({ name, handlerPath, dir }: Pick<HookPack, 'name' | 'handlerPath' | 'dir'>) {
    return this.#parts.modulesFor({ hook: name, path: handlerPath, rootDir: dir });
  }

  /** Every file that is asked for from now on is loaded again, except those whose code had to be stopped. */
  refresh(): void {
    this.#inline.clear();
    void this.#worker?.then((worker) => worker.refresh());
  }

  /** The same, and those whose code had to be stopped are tried again. */
  forget(): void {
    this.#inline.clear();
    void this.#worker?.then((worker) => worker.forget());
  }
}

function whoIs({ noun = 'hook', hook }: HookHandlerFile): string {
  return `The ${noun} "${hook}" (its isolation is "inline")`;
}
