// Everything that a handler file is loaded with in the worker, as plain data: which file, which of its exports, and what
// its code may import and see. A handler file is the code of a hook pack, or a module that the configuration names.

import type { HookHandlerFile } from '../hooks/packs/load-hook-handler.ts';
import type { InternalHookEvent, InternalHookHandler } from '../protocol/bootstrap-event.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { WorkerNoun } from './errors.ts';

export interface HandlerSetup {
  /** The name that people know it by. */
  readonly id: string;
  readonly noun: Exclude<WorkerNoun, 'plugin'>;
  readonly file: HookHandlerFile;
  /** The URL of a HandlerProgram. */
  readonly program: string;
  /** The whole configuration, as validated. */
  readonly config: JsonObject;
  readonly stateDir: string;
  readonly homeDir?: string | undefined;
}

/** A module that the worker imports: what handlers may import by name, and how one is called with an event. */
export interface HandlerProgram {
  /** Module objects by import name, such as `atrium/context`. Called only for a handler that names one of them. */
  loadModules(): Promise<Readonly<Record<string, unknown>>>;
  readonly moduleNames: readonly string[];
  /** Calls the handler with an event that has crossed, and gives what the handler did to it as data. */
  answerEvent(handler: InternalHookHandler, event: InternalHookEvent): Promise<object>;
}

export function isHandlerSetup(setup: object): setup is HandlerSetup {
  return 'file' in setup;
}
