// The modules of this product that a handler outside of any package can import by name. The worker imports this file as
// its program for handlers, so that a handler there finds the same modules.

import type { HandlerModules } from '../gateway/composer/handler-program.ts';
import { findProgram } from '../plugins/isolation/find-program.ts';

export { answerEvent } from '../context/crossing-event.ts';

export const moduleNames: readonly string[] = ['atrium/context', 'atrium'];

export async function loadModules(): Promise<Readonly<Record<string, unknown>>> {
  const context = await import('./context.ts');
  return { 'atrium/context': context, atrium: context };
}

export const OWN_MODULES: HandlerModules = {
  url: findProgram(import.meta.url, 'public/own-modules').href,
  moduleNames,
  loadModules,
};
