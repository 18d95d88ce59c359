// Evaluates a handler file where it runs, in the worker or in the gateway, and gives the function that it exports. Its
// code may import what the product offers to handlers, and the plugin SDK.
//
// Errors: none; whatever is wrong with the file is an error value.

import { readFile } from 'node:fs/promises';
import { type LoadedHookHandler, loadHookHandler } from '../../hooks/packs/load-hook-handler.ts';
import type { HandlerProgram, HandlerSetup } from '../handler-setup.ts';
import { createBoundSymbols } from '../openclaw-sdk/bound-symbols.ts';
import { createSdkModules } from '../openclaw-sdk/sdk-modules.ts';
import { SHARED_SYMBOLS } from '../openclaw-sdk/shared-symbols.ts';
import type { PluginLogEntry } from '../plugin-host.ts';
import { refusingHost } from '../refusing-host.ts';

export async function openHandlerFile(
  setup: HandlerSetup,
  program: Pick<HandlerProgram, 'loadModules' | 'moduleNames'>,
  log: (entry: PluginLogEntry) => void,
): Promise<LoadedHookHandler> {
  return loadHookHandler(setup.file, { virtualModules: await handlerModules(setup, program, log) });
}

/** What the code of a handler may import by name. */
export async function handlerModules(
  setup: HandlerSetup,
  program: Pick<HandlerProgram, 'loadModules' | 'moduleNames'>,
  log: (entry: PluginLogEntry) => void,
): Promise<Record<string, unknown>> {
  const { file } = setup;
  // The code that loads the file reports that it cannot be read.
  const source = await readFile(file.path, 'utf8').catch(() => '');
  const sdk = createSdkModules({
    entryPath: file.path,
    symbols: { ...SHARED_SYMBOLS, ...createBoundSymbols(setup, refusingHost(setup.id, NO_HANDLERS_BUSINESS, log)) },
    imported: () => {},
    missed: (specifier, name) =>
      log({ level: 'warn', text: `It looks for ${name} in ${specifier}, which Atrium does not have.` }),
  });
  if (source.includes('typebox')) await sdk.prepareTypebox();
  // `require` cannot wait for a module; an import in another file of the handler can.
  let own = program.moduleNames.some((name) => source.includes(name)) ? await program.loadModules() : undefined;
  const ownModule = (name: string) =>
    own
      ? own[name]
      : program.loadModules().then((modules) => {
          own = modules;
          return modules[name];
        });
  return new Proxy<Record<string, unknown>>(
    {},
    {
      has: (_, name) => typeof name === 'string' && (program.moduleNames.includes(name) || name in sdk.virtualModules),
      get: (_, name) => {
        if (typeof name !== 'string') return undefined;
        return program.moduleNames.includes(name) ? ownModule(name) : sdk.virtualModules[name];
      },
    },
  );
}

/** Handlers are told of events and answer them; what plugins may ask of the gateway is refused to them. */
const NO_HANDLERS_BUSINESS = 'handlers of hooks cannot ask for it, only plugins can';
