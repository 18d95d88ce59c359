// Loads one handler file in the worker, in the form that the worker has for plugins: one registration, whose function
// takes an event that has crossed and answers with what the handler did to it.
//
// Errors: never rejects for what the file does.

import { importModule } from '../../protocol/import-module.ts';
import type { HandlerProgram, HandlerSetup } from '../handler-setup.ts';
import { labelOf } from '../lost-registrations.ts';
import type { PluginLogEntry } from '../plugin-host.ts';
import type { InternalHandlerRegistration } from '../registration.ts';
import type { PluginDraft } from './load-plugin.ts';
import { openHandlerFile } from './open-handler-file.ts';

export async function loadHandlerFile(setup: HandlerSetup, log: (entry: PluginLogEntry) => void): Promise<PluginDraft> {
  const program = (await importModule(setup.program)) as HandlerProgram;
  const loaded = await openHandlerFile(setup, program, log);
  if (!loaded.ok) return { ok: false, reason: loaded.error.message, error: loaded.error, notes: [] };
  const registration: InternalHandlerRegistration = {
    kind: 'internal-hook',
    // It is the only one, and the file has a name already.
    name: '',
    events: [],
    handler: (event) =>
      program.answerEvent(loaded.handler, event) as ReturnType<InternalHandlerRegistration['handler']>,
  };
  return { ok: true, registrations: [registration], registered: [labelOf(registration)], notes: [] };
}
