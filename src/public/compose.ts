// Composition for programs: the same engine that the commands use, with defaults filled in.

import { checkConfigObject } from '../config/check-config-object.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import type { Composition } from '../context/compose.ts';
import { ContextEngine, type ContextRequest } from '../gateway/composer/context-engine.ts';
import { defaultRunner } from './bootstrap-handlers.ts';

export interface ComposeOptions extends Omit<ContextRequest, 'at'> {
  /** The default is now. */
  readonly at?: Date | undefined;
  /** A configuration as an object. Without one, the file at `configPath` or the home's own file is read. */
  readonly config?: Config | undefined;
  readonly configPath?: string | undefined;
  /** The composition of the run before, to find out what changed. */
  readonly previous?: Composition | undefined;
}

/** Composes what an agent would read, with the handlers that are registered at this moment. */
export async function compose(options: ComposeOptions = {}): Promise<Composition> {
  const { config: given, configPath, previous, at = new Date(), ...request } = options;
  const environment = readEnvironment();
  const config = given ? await checkConfigObject(given) : (await loadConfig({ environment, configPath })).config;
  const engine = new ContextEngine({ environment, config, configPath, runner: defaultRunner, modules: ownModules });
  return engine.compose({ ...request, at }, previous);
}

/** The modules that a handler outside of any package can import by name. */
export async function ownModules(): Promise<Readonly<Record<string, unknown>>> {
  const context = await import('./context.ts');
  return { 'atrium/context': context, atrium: context };
}
