// A registration that the runner has accepted. It was checked, defaults from the catalog were filled in, and it holds
// what the runner remembers about the handler between calls. Forks of a runner share it, so that a handler which is
// suspended in one is suspended in all.

import { nearMatch } from '../protocol/near-match.ts';
import { Breaker, type Suspension } from './breaker.ts';
import { HOOK_CATALOG, type HookName, type HookRow } from './catalog.ts';
import { InvalidHandlerError, UnknownHookError } from './errors.ts';
import { isolatedCopy, isolatedEvent } from './isolated-copy.ts';
import type { HandlerRegistration, RegisteredHandler } from './runner.ts';

export interface ArmedHandler {
  readonly registered: RegisteredHandler<unknown>;
  readonly breaker: Breaker;
  /**
   * A failure of this handler refuses. A gate always gets its whole deadline, even when other handlers have used up the
   * run's budget.
   */
  readonly isGate: boolean;
  /** The time that this handler takes counts against the budget that all handlers of a run share. */
  readonly spends: boolean;
  /** Unknown fields in its answers that the operator was told of. */
  readonly toldFields: Set<string>;
  /** The configuration is not part of a listing, because it may hold secrets. */
  readonly pluginConfig: object | undefined;
  readonly eventContext: (() => object) | undefined;
  /** Whether others keep the handler's thread from it right now. */
  readonly isHeldUp: (() => boolean) | undefined;
  /** Set while it must not be called, because its code had to be stopped elsewhere. */
  readonly suspension: (() => Suspension | undefined) | undefined;
  /** Among handlers of the same priority, the one with the lower number is called first. */
  readonly place: number;
}

export function rowOf(hook: HookName): HookRow {
  if (!Object.hasOwn(HOOK_CATALOG, hook))
    throw new UnknownHookError({ hook, suggestion: nearMatch(hook, Object.keys(HOOK_CATALOG)) });
  return HOOK_CATALOG[hook];
}

export function armHandler(registration: HandlerRegistration<unknown>): Omit<ArmedHandler, 'place'> {
  const row = rowOf(registration.hook);
  const problem = problemOf(registration, row);
  if (problem) throw new InvalidHandlerError({ hook: registration.hook, id: registration.id, problem });
  const { pluginConfig, eventContext, suspension, isHeldUp, ...listed } = registration;
  const { timeoutMs } = listed;
  const registered: RegisteredHandler<unknown> = {
    ...listed,
    priority: registration.priority ?? row.defaultPriority,
    onError: registration.onError ?? 'skip',
    timeoutMs: timeoutMs ?? row.deadlineMs,
    timeoutFrom: timeoutMs === undefined ? 'catalog' : (registration.timeoutFrom ?? 'plugin'),
    authorship: registration.authorship ?? 'handler',
    pure: registration.pure ?? false,
    ephemeral: registration.ephemeral ?? false,
    policy: registration.policy ?? false,
    isRemote: registration.isRemote ?? false,
  };
  const isGate =
    row.onFailure === 'refuse' ||
    (row.onFailure === 'refuse-if-policy' && registered.policy) ||
    registered.onError === 'abort';
  const spends = !isGate && row.kind !== 'observe' && row.audience === undefined;
  return {
    registered,
    breaker: new Breaker(),
    isGate,
    spends,
    toldFields: new Set(),
    pluginConfig: isolatedCopy(pluginConfig),
    eventContext,
    isHeldUp,
    suspension,
  };
}

/**
 * The event for one handler, with the configuration of its own plugin. The handler may change it freely. An event for
 * another thread is copied on the way there.
 */
export function eventFor({ registered, pluginConfig }: ArmedHandler, event: object): object {
  if (pluginConfig === undefined) return registered.isRemote ? event : isolatedEvent(event);
  const own: EventWithContext = registered.isRemote ? { ...event } : isolatedEvent(event);
  own.context = { ...own.context, pluginConfig };
  return own;
}

/** The same as `eventFor`, for a snapshot that observers share. */
export function snapshotFor({ pluginConfig }: ArmedHandler, snapshot: EventWithContext): object {
  if (pluginConfig === undefined) return snapshot;
  return Object.freeze({ ...snapshot, context: { ...snapshot.context, pluginConfig } });
}

interface EventWithContext {
  context?: object;
}

/** Registrations come from programs and configuration, so their types cannot be trusted and are checked here. */
function problemOf(registration: HandlerRegistration<unknown>, row: HookRow): string | undefined {
  const { hook, id, handler, priority, timeoutMs, onError, policy } = registration;
  if (typeof id !== 'string' || id.trim() === '') return 'its id must be a text that is not blank';
  if (typeof handler !== 'function') return 'its handler must be a function';
  if (priority !== undefined && !Number.isFinite(priority)) return 'its priority must be a number';
  if (timeoutMs !== undefined && !(timeoutMs > 0)) return 'its timeoutMs must be a number above 0';
  if (onError === 'abort' && hook !== 'agent:bootstrap') return 'onError is for bootstrap handlers only';
  if (policy && row.onFailure === 'skip') return 'a handler of this hook cannot be a policy';
  return undefined;
}
