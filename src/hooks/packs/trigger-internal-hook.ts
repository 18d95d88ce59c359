// Calls the handlers of an internal hook event that has no row in the hook catalog. It owns no registry: whoever loaded
// the packs hands the registrations in. `agent:bootstrap` has its row and goes through the hook runner instead.
//
// Errors: a handler that throws, rejects or overruns its deadline is recorded, and the next one runs. Never throws.
// Result: what the handlers want said, in their order, and a record of every call under the event's own name.
// Rules: handlers of the type first, then those of `type:action`, each in registration order, one after the other.
// Names are compared exactly. A handler that is registered twice is called twice. Each has an event of its own, so that
// what it does to it, or pushes after its deadline, is seen by nobody else.

import type { InternalHookEvent, InternalHookHandler } from '../../protocol/bootstrap-event.ts';
import type { OnError, Stability } from '../../protocol/handler.ts';
import { Deadline } from '../deadline.ts';
import { DeadlineTimer } from '../deadline-timer.ts';
import { handlerFailureOf } from '../handler-failure.ts';
import type { HookCallRecord } from '../hook-call-record.ts';
import { isolatedCopy } from '../isolated-copy.ts';
import type { HookSource } from './hook-pack.ts';

export interface InternalHookRegistration {
  /** `command`, `command:new`, `agent:bootstrap`… in the order in which the pack names them. */
  readonly events: readonly string[];
  readonly handler: InternalHookHandler;
  /** The pack's name, the plugin's id, or `handlers[<n>]` for one that the configuration names by file. */
  readonly owner: string;
  readonly source: HookSource | 'config';
  readonly description: string;
  /** Of a plugin, which may bring several under one owner. */
  readonly name?: string | undefined;
  /** How to run it on agent:bootstrap; the deadline holds for every event. What the pack leaves open is undefined, but for the priority. */
  readonly bootstrap: {
    readonly priority: number;
    readonly stability?: Stability | undefined;
    readonly onError?: OnError | undefined;
    readonly timeoutMs?: number | undefined;
  };
}

export type InternalHookListener = Pick<InternalHookRegistration, 'events' | 'handler' | 'owner'> &
  Partial<Pick<InternalHookRegistration, 'source' | 'name' | 'bootstrap'>>;

export interface TriggerOptions {
  /** For handlers that name no deadline of their own. */
  readonly timeoutMs?: number | undefined;
  /** What this one handler is given besides the event's context. */
  readonly contextFor?: ((listener: InternalHookListener) => Readonly<Record<string, unknown>>) | undefined;
  readonly record?: ((call: HookCallRecord) => void) | undefined;
  readonly now?: (() => number) | undefined;
}

export interface TriggeredHook {
  readonly messages: readonly string[];
  readonly calls: readonly HookCallRecord[];
}

export const INTERNAL_HOOK_TIMEOUT_MS = 5_000;
const MAX_MESSAGES = 20;
const MAX_MESSAGE_CHARS = 4_000;

export async function triggerInternalHook(
  registrations: readonly InternalHookListener[],
  event: InternalHookEvent,
  options: TriggerOptions = {},
): Promise<TriggeredHook> {
  const messages: string[] = [];
  const calls: HookCallRecord[] = [];
  const timer = new DeadlineTimer();
  for (const listener of orderInternalHookListeners(registrations, event)) {
    const { call, said } = await callListener(listener, event, timer, options);
    messages.push(...said);
    calls.push(call);
    try {
      options.record?.(call);
    } catch {
      // Whatever becomes of a record, the event goes on.
    }
  }
  return { messages: messages.slice(0, MAX_MESSAGES), calls };
}

/** Empty when nobody listens. */
export function orderInternalHookListeners<Registration extends Pick<InternalHookListener, 'events'>>(
  registrations: readonly Registration[],
  event: Pick<InternalHookEvent, 'type' | 'action'>,
): Registration[] {
  const listeningTo = (key: string) =>
    registrations.flatMap((registration) => registration.events.filter((name) => name === key).map(() => registration));
  return [...listeningTo(event.type), ...listeningTo(`${event.type}:${event.action}`)];
}

async function callListener(
  listener: InternalHookListener,
  event: InternalHookEvent,
  timer: DeadlineTimer,
  { timeoutMs = INTERNAL_HOOK_TIMEOUT_MS, contextFor, now = Date.now }: TriggerOptions,
): Promise<{ readonly call: HookCallRecord; readonly said: readonly string[] }> {
  const { handler, owner, name, bootstrap } = listener;
  const deadline = new Deadline(bootstrap?.timeoutMs ?? timeoutMs, timer);
  const runId = typeof event.context.runId === 'string' ? event.context.runId : undefined;
  const named = {
    hook: `${event.type}:${event.action}`,
    id: name === undefined ? `hook:${owner}` : `hook:${owner}/${name}`,
    owner,
    at: now(),
    runId,
    sessionKey: event.sessionKey === '' ? undefined : event.sessionKey,
  };
  const { messages: _, ...shared } = event;
  const own: InternalHookEvent = Object.defineProperty(
    { ...shared, context: { ...isolatedCopy(event.context), ...contextFor?.(listener) }, messages: [] as string[] },
    'signal',
    // Made only for a handler that looks at it.
    { get: () => deadline.signal, enumerable: true },
  );
  try {
    await deadline.race(handler(own) as unknown);
    deadline.check();
    const said = sayable(own.messages);
    const changed = said.length > 0 ? ['messages'] : [];
    return { said, call: { ...named, ms: deadline.elapsedMs, outcome: 'done', changed } };
  } catch (error) {
    const failure = handlerFailureOf(error);
    // What it said before it threw was meant; what it would have said in time is anybody's guess.
    const said = failure.outcome === 'threw' ? sayable(own.messages) : [];
    return { said, call: { ...named, ms: deadline.elapsedMs, ...failure, changed: [] } };
  } finally {
    deadline.close();
  }
}

function sayable(pushed: unknown): readonly string[] {
  if (!Array.isArray(pushed)) return [];
  return pushed
    .filter((message): message is string => typeof message === 'string' && message.trim() !== '')
    .slice(0, MAX_MESSAGES)
    .map((message) => message.slice(0, MAX_MESSAGE_CHARS));
}
