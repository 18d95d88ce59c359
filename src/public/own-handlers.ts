// The handlers of users for a composition without a gateway: they run in a worker, as they would in a gateway, so that code
// that spins or ends its process costs its own change only. There is one worker for the whole process, started with the
// first handler file, with the settings that it had then. It does not keep the process alive.

import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import type { HandlerFiles } from '../gateway/composer/handler-files.ts';
import { createHandlerFiles, createHandlerWorker } from '../gateway/parts/create-handler-files.ts';
import type { WorkerPlugins } from '../plugins/isolation/worker-plugins.ts';
import { OWN_MODULES } from './own-modules.ts';

let worker: Promise<WorkerPlugins> | undefined;

/** `warn` is called with what went wrong in a handler outside of any call; without it, Node prints it as a warning. */
export function ownHandlers(
  config: Config,
  environment: Environment,
  warn: (sentence: string) => void = (sentence) => process.emitWarning(sentence),
): HandlerFiles {
  return createHandlerFiles({
    config: () => config,
    environment,
    modules: OWN_MODULES,
    warn,
    worker: () => {
      worker ??= createHandlerWorker(config, environment);
      return worker;
    },
  });
}
