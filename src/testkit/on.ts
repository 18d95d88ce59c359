// Registers a hook handler in a test: on this hook, this owner does that.

import type { HookName } from '../hooks/catalog.ts';
import type { HandlerFor, HandlerRegistration, HookRunner } from '../hooks/runner.ts';
import type { InternalHookHandler } from '../protocol/bootstrap-event.ts';

type Options = Partial<Omit<HandlerRegistration<never>, 'hook' | 'handler'>> & { readonly owner: string };

/**
 * The owner's name is also the id of the handler, unless the options name another one. Returns a function that removes
 * the handler.
 */
export function on<Hook extends HookName>(
  hooks: HookRunner,
  hook: Hook,
  by: string | Options,
  handler: HandlerFor<Hook, InternalHookHandler>,
): () => void {
  const options = typeof by === 'string' ? { owner: by } : by;
  return hooks.register({ id: options.owner, ...options, hook, handler });
}
