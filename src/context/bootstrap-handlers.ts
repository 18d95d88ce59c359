// The port through which composition reaches handlers. Composition knows no registry: the caller passes in the runner's
// view of one hook.

import type { InternalHookHandler } from '../protocol/bootstrap-event.ts';
import type { HandlerCall, HandlerInfo } from '../protocol/handler.ts';

export interface BootstrapHandler extends HandlerInfo {
  readonly handler: InternalHookHandler;
}

/**
 * Errors: rejects only when a handler with `onError: 'abort'` failed; every other failure is a recorded call.
 * Result: the value that the last successful handler left, and one call per handler, in calling order.
 * Rules: one after the other; a handler that failed leaves the value as it found it.
 */
export interface BootstrapHandlers {
  list(): readonly BootstrapHandler[];
  chain<Value>(
    initial: Value,
    invoke: (
      handler: BootstrapHandler,
      value: Value,
      deadline: { readonly signal: AbortSignal },
    ) => Value | Promise<Value>,
  ): Promise<{ value: Value; calls: readonly HandlerCall[] }>;
}
