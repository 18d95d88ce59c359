// The only callback registry. It keeps handlers in their order, calls them with a deadline, combines their answers as
// the catalog says, and records every call. It does not know what the answers are for.
//
// Errors: a handler that throws, rejects, overruns its deadline or answers nonsense is recorded and its change dropped;
// on a gate it is a refusal instead. `run` rejects only when the caller's own signal aborts, `chain` only for a handler
// with `onError: 'abort'`.
// Result: `run` gives the combined result, who decided, and every call. It depends on the handlers' order and answers,
// never on who is slow.
// Rules: handlers that are asked run one after the other; each gets an event of its own, so that changing it changes
// nothing for others, and what a handler does after its deadline has no effect.
// When it fires: `run` asks now; `observe` tells later, in order per session key; `drain` waits for what is not told yet.

import type { InternalHookHandler } from '../protocol/bootstrap-event.ts';
import { DuplicateHandlerError, HandlerAbortError, InvalidHandlerError, UnknownHookError } from '../protocol/errors.ts';
import {
  type Authorship,
  type HandlerCall,
  type HandlerInfo,
  InvalidHandlerResult,
  type OnError,
  type Stability,
} from '../protocol/handler.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { CallInProgress, summaryOf, tell } from './call-in-progress.ts';
import { HOOK_CATALOG, type HookName, type HookRow } from './catalog.ts';
import type { AnswerFields } from './combine/answer-shape.ts';
import { combineOf, nextEventOf, refusedResult } from './combine/combine.ts';
import { type Deadline, isPromiseLike } from './deadline.ts';
import { type HandlerFailure, handlerFailureOf } from './handler-failure.ts';
import type { HookCallRecord } from './hook-call-record.ts';
import { type HookContext, withTraceFields } from './hook-context.ts';
import type { AskingHookName, BootstrapHookName, HookHandlers, HookTypes, ObserverHookName } from './hook-types.ts';
import { frozenCopy, isolatedCopy } from './isolated-copy.ts';
import { MAX_WAITING, ObserverQueue, within } from './observer-queue.ts';

export interface HandlerRegistration<Handler, Hook extends HookName = HookName> {
  readonly hook: Hook;
  readonly id: string;
  readonly owner: string;
  readonly handler: Handler;
  readonly priority?: number | undefined;
  readonly description?: string | undefined;
  readonly stability?: Stability | undefined;
  /** For bootstrap handlers; what a failure does elsewhere is the hook's to say. */
  readonly onError?: OnError | undefined;
  readonly timeoutMs?: number | undefined;
  readonly authorship?: Authorship | undefined;
  /** The answer depends on the event alone and calling has no effect, so that previews may call it. */
  readonly pure?: boolean | undefined;
  /** The handler enforces a policy: on hooks that allow it, its failure refuses instead of being passed over. */
  readonly policy?: boolean | undefined;
}

export interface RegisteredHandler<Handler> extends HandlerInfo {
  readonly hook: HookName;
  readonly handler: Handler;
  readonly pure: boolean;
  readonly policy: boolean;
}

/** Handlers of the bootstrap pipeline have a form of their own; every other is typed by its hook. */
export type HandlerFor<Hook extends HookName, BootstrapHandler> = {
  [Name in HookName]: Name extends BootstrapHookName ? BootstrapHandler : HookHandlers[Name];
}[Hook];

/** One registration per hook: written out as an object, its handler and answer are typed by the name next to it. */
export type RegistrationFor<Hook extends HookName, BootstrapHandler = InternalHookHandler> = {
  [Name in Hook]: HandlerRegistration<HandlerFor<Name, BootstrapHandler>, Name>;
}[Hook];

export interface HookRunnerSettings {
  /** Told of every call, as it ends. A sink that throws is ignored. */
  readonly record?: ((call: HookCallRecord) => void) | undefined;
  readonly now?: (() => number) | undefined;
}

export interface RunOptions {
  /** The run's own; when it aborts, `run` rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Calls only handlers that declared themselves pure; the others' ids are in `skipped`. */
  readonly pureOnly?: boolean | undefined;
  /** False keeps the calls out of the records, for previews. */
  readonly record?: boolean | undefined;
}

export interface HookAnswer<Hook extends AskingHookName> {
  /** All answers combined; an empty object when nobody answered. */
  readonly result: HookTypes[Hook]['result'];
  /** Who decided: blocked, claimed or asked; else who was first, or the last to rewrite. */
  readonly decidedBy?: HandlerName | undefined;
  /** Set when the answer is no, by decision or because a gate failed. The result says no as well. */
  readonly refusal?: HookRefusal | undefined;
  /** Whose words are in the result, in order, for fields that several may add to or the first one sets. */
  readonly contributions: readonly HookContribution[];
  readonly calls: readonly HookCallRecord[];
  /** Ids of the handlers that were not called because only pure ones were wanted. */
  readonly skipped: readonly string[];
}

export interface HandlerName {
  readonly id: string;
  readonly owner: string;
}

export interface HookContribution extends HandlerName {
  readonly field: string;
  readonly value: unknown;
}

export interface HookRefusal extends HandlerName {
  readonly reason: string;
  readonly cause: 'decision' | 'failure';
}

export class HookRunner<BootstrapHandler = InternalHookHandler> {
  /** Always in calling order, so that listing and running cannot disagree. */
  readonly #handlers = new Map<HookName, readonly RegisteredHandler<unknown>[]>();
  readonly #settings: HookRunnerSettings;
  readonly #now: () => number;
  #observers = new ObserverQueue();

  constructor(settings: HookRunnerSettings = {}) {
    this.#settings = settings;
    this.#now = settings.now ?? Date.now;
  }

  /** Returns the undo. A second handler of the same id on the same hook is an error, not a replacement. */
  register(registration: RegistrationFor<HookName, BootstrapHandler>): () => void;
  register<Hook extends HookName>(
    registration: HandlerRegistration<HandlerFor<Hook, BootstrapHandler>, Hook>,
  ): () => void;
  register(registration: HandlerRegistration<unknown>): () => void {
    const { hook } = registration;
    const row: HookRow | undefined = Object.hasOwn(HOOK_CATALOG, hook) ? HOOK_CATALOG[hook] : undefined;
    if (!row) throw new UnknownHookError(hook, nearMatch(hook, Object.keys(HOOK_CATALOG)));
    const problem = problemOf(registration, row);
    if (problem) throw new InvalidHandlerError(hook, registration.id, problem);
    const handlers = this.#handlers.get(hook) ?? [];
    const existing = handlers.find((handler) => handler.id === registration.id);
    if (existing) throw new DuplicateHandlerError(hook, registration.id, existing.owner);
    const registered: RegisteredHandler<unknown> = {
      ...registration,
      priority: registration.priority ?? row.defaultPriority,
      onError: registration.onError ?? 'skip',
      timeoutMs: registration.timeoutMs ?? row.deadlineMs,
      authorship: registration.authorship ?? 'handler',
      pure: registration.pure ?? false,
      policy: registration.policy ?? false,
    };
    const direction = row.order === 'lowest-first' ? 1 : -1;
    // A stable sort keeps registration order among equals.
    const ordered = [...handlers, registered].sort((a, b) => direction * (a.priority - b.priority));
    this.#handlers.set(hook, ordered);
    return () => this.#remove(hook, registered);
  }

  unregister(hook: HookName, id: string): boolean {
    const registered = this.#handlers.get(hook)?.find((handler) => handler.id === id);
    if (!registered) return false;
    this.#remove(hook, registered);
    return true;
  }

  /** In calling order. The array never changes under a caller that iterates over it. */
  list<Hook extends HookName>(hook: Hook): readonly RegisteredHandler<HandlerFor<Hook, BootstrapHandler>>[] {
    return (this.#handlers.get(hook) ?? []) as RegisteredHandler<HandlerFor<Hook, BootstrapHandler>>[];
  }

  /** Cheap, so that a call site need not build an event that nobody wants. */
  has(hook: HookName): boolean {
    return (this.#handlers.get(hook)?.length ?? 0) > 0;
  }

  /** A runner with the same handlers that goes its own way from here. Records and observations stay common. */
  fork(): HookRunner<BootstrapHandler> {
    const fork = new HookRunner<BootstrapHandler>(this.#settings);
    for (const [hook, handlers] of this.#handlers) fork.#handlers.set(hook, handlers);
    fork.#observers = this.#observers;
    return fork;
  }

  /** Asks the handlers of a hook, one after the other, and combines what they answer. */
  async run<Hook extends AskingHookName>(
    hook: Hook,
    event: HookTypes[Hook]['event'],
    context: HookTypes[Hook]['context'],
    options: RunOptions = {},
  ): Promise<HookAnswer<Hook>> {
    if (!this.has(hook)) return { result: {}, contributions: [], calls: [], skipped: [] };
    const row: HookRow = HOOK_CATALOG[hook];
    const calls: HookCallRecord[] = [];
    const contributions: HookContribution[] = [];
    const skipped: string[] = [];
    let result: AnswerFields = {};
    let seen = event as AnswerFields;
    let decidedBy: HandlerName | undefined;
    let refusal: HookRefusal | undefined;
    const combine = combineOf(hook);
    const shared = frozenCopy(withTraceFields(context));

    for (const handler of this.#handlers.get(hook) ?? []) {
      if (options.pureOnly && !handler.pure) {
        skipped.push(handler.id);
        continue;
      }
      options.signal?.throwIfAborted();
      const { id, owner } = handler;
      const before = result;
      const call = this.#begin(handler, shared, options);
      try {
        const answered = call.invoke(handler.handler, isolatedCopy(seen), shared);
        if (row.sync) refusePromise(answered);
        const answer = isPromiseLike(answered) ? await answered : answered;
        call.deadline.check();
        const combined = combine(before, answer, { owner, event: seen });
        result = combined.result;
        for (const [field, value] of Object.entries(combined.contributed ?? {})) {
          contributions.push({ field, value, id, owner });
        }
        if (combined.decides) decidedBy = { id, owner };
        if (combined.refusal !== undefined) refusal = { id, owner, reason: combined.refusal, cause: 'decision' };
        calls.push(call.done(changedFields(before, result)));
        if (combined.ends) break;
        seen = nextEventOf(hook, event as AnswerFields, result);
      } catch (error) {
        if (options.signal?.aborted) {
          call.aborted();
          throw options.signal.reason;
        }
        const failure = handlerFailureOf(error);
        calls.push(call.failed(failure));
        if (row.onFailure === 'skip' || (row.onFailure === 'refuse-if-policy' && !handler.policy)) continue;
        const reason = failureReason(handler, failure);
        result = refusedResult(hook, before, reason);
        decidedBy = { id, owner };
        refusal = { id, owner, reason, cause: 'failure' };
        break;
      }
    }
    return { result: result as HookTypes[Hook]['result'], decidedBy, refusal, contributions, calls, skipped };
  }

  /** Tells the observers of a hook, later and in order per session key. What they see is frozen as it is now. */
  observe<Hook extends ObserverHookName>(
    hook: Hook,
    event: HookTypes[Hook]['event'],
    context: HookTypes[Hook]['context'],
  ): void {
    this.#tell(hook, event, context, () => {});
  }

  /**
   * As `observe`, and waits until all have been told or their deadline has passed. Gives the calls that have ended. For
   * the hooks that the catalog marks as awaited, and for whoever must know that the observers were told.
   */
  async observeAndWait<Hook extends ObserverHookName>(
    hook: Hook,
    event: HookTypes[Hook]['event'],
    context: HookTypes[Hook]['context'],
  ): Promise<readonly HookCallRecord[]> {
    const calls: HookCallRecord[] = [];
    const told = this.#tell(hook, event, context, (call) => calls.push(call));
    if (told.length === 0) return calls;
    const longest = Math.max(...(this.#handlers.get(hook) ?? []).map(({ timeoutMs }) => timeoutMs));
    await within(longest, Promise.all(told));
    return [...calls];
  }

  /** Waits until every observer was told everything, at most this long. Returns how many observations are left. */
  drain(timeoutMs: number): Promise<number> {
    return this.#observers.drain(timeoutMs);
  }

  /** Lets each bootstrap handler work on the value that the one before it left. */
  async chain<Value>(
    hook: BootstrapHookName,
    initial: Value,
    invoke: (handler: RegisteredHandler<BootstrapHandler>, value: Value, deadline: Deadline) => Value | Promise<Value>,
    { record, ...identity }: Pick<HookContext, 'runId' | 'sessionKey'> & Pick<RunOptions, 'record'> = {},
  ): Promise<{ value: Value; calls: HandlerCall[] }> {
    let value = initial;
    const calls: HandlerCall[] = [];
    for (const handler of this.list(hook)) {
      const call = this.#begin(handler, identity, { record });
      try {
        const answer = await call.deadline.race(invoke(handler, value, call.deadline));
        call.deadline.check();
        const changed = answer === value ? [] : Object.keys(HOOK_CATALOG[hook].combine);
        value = answer;
        calls.push(summaryOf(call.done(changed)));
      } catch (error) {
        const failure = handlerFailureOf(error);
        calls.push(summaryOf(call.failed(failure)));
        if (handler.onError === 'abort') throw new HandlerAbortError(hook, handler.id, failure.error, { cause: error });
      }
    }
    return { value, calls };
  }

  /** Puts one observation per handler into the queue. Gives the promises of those that were taken. */
  #tell(hook: ObserverHookName, event: object, context: HookContext, ended: (call: HookCallRecord) => void) {
    const told: Promise<void>[] = [];
    const handlers = this.#handlers.get(hook) ?? [];
    if (handlers.length === 0) return told;
    const frozen = frozenCopy(event);
    const shared = frozenCopy(withTraceFields(context));
    const sessionKey = context.sessionKey ?? (event as HookContext).sessionKey ?? '';
    for (const handler of handlers) {
      const promise = this.#observers.add(handler.owner, sessionKey, async () => {
        const call = this.#begin(handler, shared);
        try {
          await call.invoke(handler.handler, frozen, shared);
          call.deadline.check();
          ended(call.done([]));
        } catch (error) {
          ended(call.failed(handlerFailureOf(error)));
        }
      });
      if (promise) told.push(promise);
      else this.#drop(handler, shared);
    }
    return told;
  }

  #begin(handler: RegisteredHandler<unknown>, context: HookContext, options: RunOptions = {}): CallInProgress {
    const { hook, id, owner, timeoutMs } = handler;
    const { runId, sessionKey } = context;
    const record = options.record === false ? undefined : this.#settings.record;
    const { signal } = options;
    return new CallInProgress({
      hook,
      id,
      owner,
      timeoutMs,
      at: this.#now(),
      runId,
      sessionKey,
      signal,
      record,
    });
  }

  #drop({ hook, id, owner }: RegisteredHandler<unknown>, { runId, sessionKey }: HookContext): void {
    const error = `${MAX_WAITING} observations were waiting for ${owner} already`;
    const call = { hook, id, owner, at: this.#now(), ms: 0, error, changed: [], runId, sessionKey };
    tell(this.#settings.record, { ...call, outcome: 'dropped' });
  }

  #remove(hook: HookName, registered: RegisteredHandler<unknown>): void {
    const handlers = this.#handlers.get(hook) ?? [];
    this.#handlers.set(
      hook,
      handlers.filter((handler) => handler !== registered),
    );
  }
}

/** Registrations come from programs and configuration, so their types are claims. */
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

/** A promise where a plain value is due is no answer, and its failure is nobody's either. */
function refusePromise(answered: unknown): void {
  if (!isPromiseLike(answered)) return;
  Promise.resolve(answered).catch(() => {});
  throw new InvalidHandlerResult('returned a promise, and this hook takes plain values only');
}

function changedFields(before: AnswerFields, after: AnswerFields): string[] {
  if (before === after) return [];
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => before[field] !== after[field]);
}

/** In our words: people and models read this, and what a handler throws is for the operator. */
function failureReason(handler: RegisteredHandler<unknown>, { outcome }: HandlerFailure): string {
  const what = {
    threw: 'it threw an error',
    'timed-out': `it did not answer within ${handler.timeoutMs} ms`,
    invalid: 'its answer made no sense',
  }[outcome];
  return `The handler ${handler.id} of ${handler.owner} on ${handler.hook} failed: ${what}. What it guards stays closed.`;
}
