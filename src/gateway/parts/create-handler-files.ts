// Builds what loads handler files, in a gateway and for a composition without one. The worker is the gateway's, which its
// plugins use too; without a gateway it is one for the whole process. It is started with the first file that needs it.

import type { Environment } from '../../config/environment.ts';
import { pluginSettingsOf } from '../../config/plugin-settings.ts';
import type { Config } from '../../config/schema.ts';
import type { HookHandlerFile } from '../../hooks/packs/load-hook-handler.ts';
import type { HandlerSetup } from '../../plugins/handler-setup.ts';
import type { WorkerPlugins } from '../../plugins/isolation/worker-plugins.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { HandlerFiles } from '../composer/handler-files.ts';
import { type HandlerModules, NO_MODULES } from '../composer/handler-program.ts';
import { pluginLogs } from '../plugins/plugin-logs.ts';
import { startWorkerLoader } from '../plugins/start-loader.ts';

export interface HandlerFilesOptions {
  readonly environment: Environment;
  /** The configuration that is in use at the moment. */
  readonly config: () => Config;
  readonly modules?: HandlerModules | undefined;
  /** The worker for all third-party code. */
  readonly worker: () => Promise<WorkerPlugins>;
  /** One sentence for the operator; without it, only reports say what went wrong. */
  readonly warn?: ((sentence: string) => void) | undefined;
  readonly log?: ((sentence: string) => void) | undefined;
  readonly now?: (() => number) | undefined;
}

export function createHandlerFiles(options: HandlerFilesOptions): HandlerFiles {
  const {
    environment,
    config,
    modules = NO_MODULES,
    worker,
    warn = () => {},
    log = () => {},
    now = Date.now,
  } = options;
  const setupOf = (file: HookHandlerFile): HandlerSetup => ({
    id: file.hook,
    noun: file.noun ?? 'hook',
    file,
    program: modules.url,
    // A configuration file can only contain values that JSON has.
    config: config() as unknown as JsonObject,
    stateDir: environment.stateDir,
    homeDir: environment.home,
  });
  const logs = pluginLogs({ warn, log, now });
  const logOf = ({ id, noun }: HandlerSetup) => logs(`${noun} ${id}`);
  return new HandlerFiles({
    worker: async () => {
      const { WorkerHandlers } = await import('../../plugins/isolation/worker-handlers.ts');
      return new WorkerHandlers({ worker, setupOf, log: (setup, entry) => logOf(setup)(entry), warn, now });
    },
    modulesFor: async (file) => {
      const { handlerModules } = await import('../../plugins/loading/open-handler-file.ts');
      const setup = setupOf(file);
      return handlerModules(setup, modules, logOf(setup));
    },
  });
}

/** Handler files with a worker that nothing else uses. */
export function handlersOfTheirOwn(config: Config, environment: Environment): HandlerFiles {
  let worker: Promise<WorkerPlugins> | undefined;
  return createHandlerFiles({
    config: () => config,
    environment,
    worker: () => {
      worker ??= createHandlerWorker(config, environment);
      return worker;
    },
  });
}

/** A worker for compositions without a gateway. */
export function createHandlerWorker(config: Config, environment: Environment): Promise<WorkerPlugins> {
  const { worker } = pluginSettingsOf(config, environment.home);
  // Handler files have listeners of their own; what belongs to none of them is no news without a gateway.
  const events = { trouble: () => {}, reloaded: () => {} };
  return startWorkerLoader({ ...worker, events, now: Date.now, warn: () => {} });
}
