// The transforms of mappings: functions in files of the operator that decide what a request becomes. They run in the worker
// for third-party code, with a deadline. A file must lie in the folder of the transforms after links are followed.
// Errors: rejects with WebhookTransformError for everything that goes wrong, so that nothing is let through which the
// transform might have stopped; the reason is told to the operator only.

import { isAbsolute, join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import type { WebhookMapping } from '../../config/webhooks.ts';
import { HookHandlerExportError } from '../../hooks/errors.ts';
import { findHandlerFile, type HookHandlerFile } from '../../hooks/packs/load-hook-handler.ts';
import type { HandlerSetup } from '../../plugins/handler-setup.ts';
import type { LoadedWorkerHandler, WorkerHandlers } from '../../plugins/isolation/worker-handlers.ts';
import type { WorkerPlugins } from '../../plugins/isolation/worker-plugins.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { errorText, oneLine } from '../../protocol/one-line.ts';
import { within } from '../../protocol/time-limit.ts';
import { WebhookTransformError } from '../errors.ts';
import { pluginLogs } from '../plugins/plugin-logs.ts';
import { type CrossingRequest, TRANSFORM_PROGRAM, type TransformAnswer } from './transform-program.ts';

export interface WebhookTransformParts {
  readonly environment: Pick<Environment, 'stateDir' | 'home'>;
  readonly worker: () => Promise<Pick<WorkerPlugins, 'admit'>>;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

export type RunTransform = WebhookTransforms['run'];

const TIME_LIMIT_MS = 10_000;

export class WebhookTransforms {
  readonly #parts: WebhookTransformParts;
  /** They are held here, because the worker unloads a handler that is not held. */
  readonly #loaded = new Map<string, LoadedWorkerHandler>();
  #handlers: Promise<WorkerHandlers> | undefined;

  constructor(parts: WebhookTransformParts) {
    this.#parts = parts;
  }

  /** Null means that the request becomes nothing, undefined that the mapping alone decides. */
  async run(
    config: Config,
    { id, transform }: WebhookMapping & { readonly id: string },
    request: CrossingRequest,
  ): Promise<unknown> {
    try {
      const call = await this.#load(config, transform ?? {});
      const answering = call({ ...request, signal: AbortSignal.timeout(TIME_LIMIT_MS) });
      if (!(await within(TIME_LIMIT_MS, answering))) throw new Error(`it took longer than ${TIME_LIMIT_MS / 1_000} s`);
      const { returned, thrown } = (await answering) as TransformAnswer;
      if (thrown !== undefined) throw new Error(`it threw: ${thrown}`);
      return returned;
    } catch (error) {
      const why = oneLine(errorText(error), 300);
      this.#parts.warn(`A request to the webhook "${id}" was refused, because its transform failed: ${why}`);
      throw new WebhookTransformError({ mapping: id });
    }
  }

  async #load(config: Config, { module, export: named }: NonNullable<WebhookMapping['transform']>) {
    const file = this.#fileOf(config, module);
    const found = await findHandlerFile(file);
    if (!found.ok) throw found.error;
    const handlers = await this.#worker(config);
    let loaded = await handlers.load({ ...file, exportName: named?.trim() || 'default' });
    // Without a name, a function that is called "transform" is meant as well.
    if (!loaded.ok && !named?.trim() && loaded.error instanceof HookHandlerExportError)
      loaded = await handlers.load({ ...file, exportName: 'transform' });
    if (!loaded.ok) throw loaded.error;
    const suspension = loaded.suspension();
    if (suspension) throw new Error(suspension.reason);
    this.#loaded.set(file.path, loaded);
    return loaded.call;
  }

  #fileOf({ hooks }: Config, module: string | undefined): HookHandlerFile {
    const { stateDir, home } = this.#parts.environment;
    const allowed = join(stateDir, 'hooks', 'transforms');
    const folder = hooks?.transformsDir?.trim();
    const dir = folder
      ? isAbsolute(folder) || folder.startsWith('~')
        ? resolveUserPath(folder, home)
        : join(allowed, folder)
      : allowed;
    const name = module?.trim() ?? '';
    if (name === '' || isAbsolute(name))
      throw new Error('its module must be a path below the folder of the transforms');
    return { hook: `transform ${name}`, path: join(dir, name), rootDir: allowed, noun: 'handler' };
  }

  #worker(config: Config): Promise<WorkerHandlers> {
    const { environment, worker, warn, now } = this.#parts;
    const logs = pluginLogs({ warn, log: () => {}, now });
    this.#handlers ??= import('../../plugins/isolation/worker-handlers.ts').then(
      ({ WorkerHandlers: Handlers }) =>
        new Handlers({
          worker,
          setupOf: (file): HandlerSetup => ({
            id: file.hook,
            noun: 'handler',
            file,
            program: TRANSFORM_PROGRAM,
            // A configuration file can only contain values that JSON has.
            config: config as unknown as JsonObject,
            stateDir: environment.stateDir,
            homeDir: environment.home,
          }),
          log: ({ id }, entry) => logs(id)(entry),
          remedyFor: () => 'It is called again when its file has changed, or after a restart.',
          warn,
          now,
        }),
    );
    return this.#handlers;
  }
}
