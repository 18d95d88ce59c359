// What the worker imports to call handlers, where no modules are offered to them. The door `atrium/context` offers more
// with a program of its own.

import type { HandlerProgram } from '../../plugins/handler-setup.ts';
import { findProgram } from '../../plugins/isolation/find-program.ts';

export { answerEvent } from '../../context/crossing-event.ts';

/** The modules that handlers may import by name, and the program that offers the same ones in a worker. */
export interface HandlerModules extends Pick<HandlerProgram, 'moduleNames' | 'loadModules'> {
  /** The URL of the program. */
  readonly url: string;
}

export const moduleNames: readonly string[] = [];

export async function loadModules(): Promise<Readonly<Record<string, unknown>>> {
  return {};
}

export const NO_MODULES: HandlerModules = {
  url: findProgram(import.meta.url, 'gateway/composer/handler-program').href,
  moduleNames,
  loadModules,
};
