// What a hook pack, or a plugin that registers like one, listens to, and the handlers for the hook runner that follow
// from it. Handlers of a whole event type are called before those of one event, each in the order in which they were
// loaded; a handler that names an event twice is called twice. Names are compared exactly, and a name that is not in
// the catalog gives no handler.

import type { InternalHookHandler } from '../../protocol/bootstrap-event.ts';
import type { OnError, Stability } from '../../protocol/handler.ts';
import type { Suspension } from '../breaker.ts';
import type { PackHookName } from '../hook-types.ts';
import type { HandlerRegistration } from '../runner.ts';
import type { HookSource } from './hook-pack.ts';
import { PACK_EVENTS } from './unknown-events.ts';

export interface InternalHookRegistration {
  /** Such as `command`, `command:new` or `agent:bootstrap`, in the order in which the pack names them. */
  readonly events: readonly string[];
  readonly handler: InternalHookHandler;
  /** Set while it must not be called, because its code had to be stopped. */
  readonly suspension?: (() => Suspension | undefined) | undefined;
  /** Whether others keep the handler's thread from it right now. */
  readonly isHeldUp?: (() => boolean) | undefined;
  /** The pack's name, the plugin's id, or `handlers[<n>]` for a handler that the configuration names by file. */
  readonly owner: string;
  readonly source: HookSource | 'config';
  readonly description: string;
  /** The name of a plugin's handler, because a plugin may register several under one owner. */
  readonly name?: string | undefined;
  /**
   * How to run the handler on agent:bootstrap; the deadline holds for every event. What the pack does not declare is
   * undefined, except the priority.
   */
  readonly bootstrap: {
    readonly priority: number;
    readonly stability?: Stability | undefined;
    readonly onError?: OnError | undefined;
    readonly timeoutMs?: number | undefined;
  };
}

export type PackHandler = HandlerRegistration<InternalHookHandler, PackHookName>;

/** All handlers except those of agent:bootstrap, which edit files and are registered elsewhere. */
export function packHandlers(
  registrations: readonly InternalHookRegistration[],
  contextOf?: (registration: InternalHookRegistration) => object,
): readonly PackHandler[] {
  const taken = new Map<string, number>();
  return registrations.flatMap((registration) =>
    registration.events.flatMap((event) =>
      PACK_EVENTS.filter((hook) => hook === event || typeOf(hook) === event).map((hook): PackHandler => {
        const id = handlerIdOf(registration);
        const count = (taken.get(`${hook} ${id}`) ?? 0) + 1;
        taken.set(`${hook} ${id}`, count);
        return {
          hook,
          id: count === 1 ? id : `${id}#${count}`,
          owner: registration.owner,
          description: registration.description,
          handler: registration.handler,
          suspension: registration.suspension,
          isHeldUp: registration.isHeldUp,
          priority: hook === event ? 0 : 1,
          timeoutMs: registration.bootstrap.timeoutMs,
          eventContext: contextOf && (() => contextOf(registration)),
        };
      }),
    ),
  );
}

function typeOf(hook: PackHookName): string {
  return hook.slice(0, hook.indexOf(':'));
}

export function handlerIdOf({ owner, name }: Pick<InternalHookRegistration, 'owner' | 'name'>): string {
  return name === undefined ? `hook:${owner}` : `hook:${owner}/${name}`;
}
