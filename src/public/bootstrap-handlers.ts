// The global functions under the names of the bootstrap contract. They use one default runner, so that a program can
// register handlers without building anything; inside Atrium the runner is always passed in instead.

import { readEnvironment } from '../config/environment.ts';
import {
  applyBootstrapHookOverrides as applyOverrides,
  type BootstrapHookOverrides,
} from '../context/apply-bootstrap-hook-overrides.ts';
import { bundledHandlers, refuseBundledId } from '../gateway/composer/bundled-handlers.ts';
import { bootstrapHandlersOf } from '../gateway/composer/prepared-agents.ts';
import { HookRunner } from '../hooks/runner.ts';
import type { AgentBootstrapHookEvent, InternalHookHandler } from '../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../protocol/bootstrap-file.ts';
import type { OnError, Stability } from '../protocol/handler.ts';

export interface BootstrapHookRegistration {
  readonly id: string;
  /** Any `InternalHookHandler` is accepted. One that is registered here receives bootstrap events only. */
  readonly handler: (event: AgentBootstrapHookEvent) => unknown;
  /** A lower number runs first. The default is 100. */
  readonly priority?: number;
  readonly description?: string;
  /** How often the handler's text changes. Text that changes by session or run is kept below the cache boundary. */
  readonly stability?: Stability;
  /** What a failure does: `skip` (the default) drops this handler's change, `abort` fails the composition. */
  readonly onError?: OnError;
  /** The default is 5,000. */
  readonly timeoutMs?: number;
}

export const defaultRunner: HookRunner<InternalHookHandler> = new HookRunner();

/** Returns a function that removes the handler. A second handler with the same id, or a bundled one's, is an error. */
export function registerBootstrapHandler(registration: BootstrapHookRegistration): () => void {
  const { id, description, priority, stability, onError, timeoutMs } = registration;
  refuseBundledId(id);
  const handler = registration.handler as InternalHookHandler;
  const given = { id, handler, description, priority, stability, onError, timeoutMs };
  return defaultRunner.register({ ...given, hook: 'agent:bootstrap', owner: 'program' });
}

/** Removes a handler of this program. The bundled ones are switched in the configuration. */
export function unregisterBootstrapHandler(id: string): void {
  defaultRunner.unregister('agent:bootstrap', id);
}

export interface ListedBootstrapHandler extends BootstrapHookRegistration {
  readonly priority: number;
  /** `program` for those that were registered here, `atrium` for the bundled ones. */
  readonly owner: string;
  /** Of a bundled one: whether it is called unless the configuration says otherwise. */
  readonly enabled: boolean;
}

/** Returns the handlers in calling order, with defaults filled in; the bundled ones as they are without a configuration. */
export function listBootstrapHandlers(): ListedBootstrapHandler[] {
  const environment = readEnvironment();
  const bundled = bundledHandlers({ config: {}, environment, ci: environment.ci });
  const runner = defaultRunner.fork();
  for (const { registration } of bundled) runner.register({ hook: 'agent:bootstrap', ...registration });
  const isOff = (id: string) => bundled.some(({ registration, enabled }) => registration.id === id && !enabled);
  return runner
    .list('agent:bootstrap')
    .map(({ id, handler, owner, priority, description, stability, onError, timeoutMs }) => ({
      id,
      handler,
      owner,
      enabled: !isOff(id),
      priority,
      onError,
      timeoutMs,
      ...(description === undefined ? {} : { description }),
      ...(stability === undefined ? {} : { stability }),
    }));
}

/**
 * Runs the registered handlers over a list of files, each on a draft. The draft of a handler that fails is dropped. The
 * input list is not changed.
 */
export function applyBootstrapHookOverrides(
  params: Omit<BootstrapHookOverrides, 'handlers' | 'at' | 'timezone'> &
    Partial<Pick<BootstrapHookOverrides, 'at' | 'timezone'>>,
): Promise<WorkspaceBootstrapFile[]> {
  return applyOverrides({
    ...params,
    at: params.at ?? new Date(),
    timezone: params.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    handlers: bootstrapHandlersOf(defaultRunner),
  });
}
