// Calls the handlers of an internal hook event that has no row in the hook catalog. It owns no registry: whoever loaded
// the packs hands the registrations in. `agent:bootstrap` has its row and goes through the hook runner instead.
//
// Errors: a handler that throws or rejects is reported, and the next one runs. Never throws.
// Rules: handlers of the type first, then those of `type:action`, each in registration order, one after the other.
// Names are compared exactly. A handler that is registered twice is called twice.

import type { InternalHookEvent, InternalHookHandler } from '../../protocol/bootstrap-event.ts';
import type { OnError, Stability } from '../../protocol/handler.ts';
import type { HookSource } from './hook-pack.ts';

export interface InternalHookRegistration {
  /** `command`, `command:new`, `agent:bootstrap`… in the order in which the pack names them. */
  readonly events: readonly string[];
  readonly handler: InternalHookHandler;
  /** The pack's name, or `handlers[<n>]` for one that the configuration names by file. */
  readonly owner: string;
  readonly source: HookSource | 'config';
  readonly description: string;
  /** How to run it on agent:bootstrap. What the pack leaves open is undefined, but for the priority. */
  readonly bootstrap: {
    readonly priority: number;
    readonly stability?: Stability | undefined;
    readonly onError?: OnError | undefined;
    readonly timeoutMs?: number | undefined;
  };
}

export interface InternalHookFailure {
  readonly owner: string;
  readonly event: string;
  readonly error: unknown;
}

type Listener = Pick<InternalHookRegistration, 'events' | 'handler' | 'owner'>;

export async function triggerInternalHook(
  registrations: readonly Listener[],
  event: InternalHookEvent,
  onFailure: (failure: InternalHookFailure) => void,
): Promise<void> {
  for (const { handler, owner } of orderInternalHookListeners(registrations, event)) {
    try {
      await handler(event);
    } catch (error) {
      onFailure({ owner, event: `${event.type}:${event.action}`, error });
    }
  }
}

/** Empty when nobody listens. */
export function orderInternalHookListeners<Registration extends Pick<Listener, 'events'>>(
  registrations: readonly Registration[],
  event: Pick<InternalHookEvent, 'type' | 'action'>,
): Registration[] {
  const listeningTo = (key: string) =>
    registrations.flatMap((registration) => registration.events.filter((name) => name === key).map(() => registration));
  return [...listeningTo(event.type), ...listeningTo(`${event.type}:${event.action}`)];
}
