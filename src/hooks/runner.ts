// The only callback registry. It keeps handlers in their order, calls them with a deadline, combines their answers as
// the catalog says, and records every call. It does not know what the answers are for.
// Errors: a handler that throws, rejects, overruns its deadline or gives an invalid answer is recorded and its change
// dropped; on a gate it is a refusal instead. `run` rejects only when the caller's own signal aborts, `chain` only for
// a handler with `onError: 'abort'`. Result: `run` gives the combined result, which handler decided, and every call.
// The result depends on the handlers' order and answers, never on their speed. Rules: handlers that are asked run one
// after the other; each gets an event of its own, so that changing it changes nothing for others, and what a handler
// does after its deadline has no effect. The handlers of one run share a budget, of which each owner has a part to
// itself; gates and observers do not use it. A handler that overruns its deadline repeatedly is suspended until an
// operator rearms it, and so are the handlers of an owner that overdraws the budget repeatedly; a suspended gate refuses.
// When it fires: `run` asks now, `announce` tells hook packs now; `observe` tells later, in order per session key;
// `drain` waits for what is not told yet.

import type { InternalHookHandler } from '../protocol/bootstrap-event.ts';
import {
  type Authorship,
  type HandlerCall,
  type HandlerInfo,
  InvalidHandlerResult,
  type OnError,
  type Stability,
} from '../protocol/handler.ts';
import { oneLine } from '../protocol/one-line.ts';
import { type ArmedHandler, armHandler, eventFor, rowOf, snapshotFor } from './armed-handler.ts';
import { Asking, NO_CHANGE, type TakenAnswer } from './asking.ts';
import { MAX_OVERDRAWN_RUNS, MAX_TIMEOUTS, OwnerBreakers, type Suspension } from './breaker.ts';
import { CallInProgress, type RecordSink, summaryOf, tell } from './call-in-progress.ts';
import { HOOK_CATALOG, type HookName, type HookRow } from './catalog.ts';
import type { AnswerFields } from './combine/answer-shape.ts';
import { unknownFields } from './combine/unknown-fields.ts';
import { Deadline, isPromiseLike } from './deadline.ts';
import { DeadlineTimer } from './deadline-timer.ts';
import { DuplicateHandlerError, HandlerAbortError } from './errors.ts';
import { contextFields, handlerContext } from './handler-context.ts';
import { type HandlerFailure, handlerFailureOf, refusalReason, suspendedReason } from './handler-failure.ts';
import { HandlerPlaces } from './handler-places.ts';
import type { HookCallRecord } from './hook-call-record.ts';
import type { HookContext } from './hook-context.ts';
import type {
  AskingHookName,
  BootstrapHookName,
  HookHandlers,
  HookTypes,
  ObserverHookName,
  PackHookName,
} from './hook-types.ts';
import { frozenCopy } from './isolated-copy.ts';
import { LookAhead } from './look-ahead.ts';
import { MAX_WAITING, ObserverQueue } from './observer-queue.ts';
import { isOwnWords } from './own-words.ts';
import { MAX_MESSAGES, type PackEvent, packEventFor, sayable, withoutQuotes } from './packs/pack-event.ts';
import type { RemoteAnswer, RemoteHandlers } from './remote-handlers.ts';
import { type RunBudget, RunBudgets } from './run-budgets.ts';

export interface HandlerRegistration<Handler, Hook extends HookName = HookName> {
  readonly hook: Hook;
  readonly id: string;
  readonly owner: string;
  readonly handler: Handler;
  readonly priority?: number | undefined;
  readonly description?: string | undefined;
  readonly stability?: Stability | undefined;
  /** Only for bootstrap handlers; for other hooks the catalog says what a failure does. */
  readonly onError?: OnError | undefined;
  readonly timeoutMs?: number | undefined;
  /** Who set `timeoutMs`. A run's budget is never less than the longest deadline that an operator set. */
  readonly timeoutFrom?: 'plugin' | 'operator' | undefined;
  readonly authorship?: Authorship | undefined;
  /** The answer depends on the event alone and calling the handler has no side effect, so that previews may call it. */
  readonly pure?: boolean | undefined;
  /** The text that the handler adds to the message is sent with this run only, and is left out of later requests. */
  readonly ephemeral?: boolean | undefined;
  /**
   * The handler enforces a policy, by its own word or because the operator requires its plugin: on hooks that allow it,
   * its failure refuses instead of being skipped.
   */
  readonly policy?: boolean | undefined;
  /** Only this handler sees it, as `event.context.pluginConfig`. */
  readonly pluginConfig?: object | undefined;
  /** Additional context fields for a handler of an event of hook packs. */
  readonly eventContext?: (() => object) | undefined;
  /**
   * The handler runs in another thread. That thread copies the event and answers with a promise even where a plain
   * value is required; it checks there that the value is plain.
   */
  readonly isRemote?: boolean | undefined;
  /** Asks several of these handlers with one message. */
  readonly remote?: RemoteHandlers | undefined;
  /** Whether others keep the handler's thread from it right now; that time does not count against its limit. */
  readonly isHeldUp?: (() => boolean) | undefined;
  /** Set while it must not be called, because its code had to be stopped. The same object until that changes. */
  readonly suspension?: (() => Suspension | undefined) | undefined;
  /** A handler that was registered before gets its old place back among handlers of the same priority. */
  readonly keepsPlace?: boolean | undefined;
}

export interface RegisteredHandler<Handler> extends HandlerInfo {
  readonly hook: HookName;
  readonly handler: Handler;
  readonly timeoutFrom: 'catalog' | 'plugin' | 'operator';
  readonly pure: boolean;
  readonly ephemeral: boolean;
  readonly policy: boolean;
  readonly isRemote: boolean;
  readonly remote?: RemoteHandlers | undefined;
}

/** Bootstrap handlers have a form of their own; every other handler is typed by its hook. */
export type HandlerFor<Hook extends HookName, BootstrapHandler> = {
  [Name in HookName]: Name extends BootstrapHookName ? BootstrapHandler : HookHandlers[Name];
}[Hook];

/** One registration type per hook, so that the handler and its answer are typed by the hook's name. */
export type RegistrationFor<Hook extends HookName, BootstrapHandler = InternalHookHandler> = {
  [Name in Hook]: HandlerRegistration<HandlerFor<Name, BootstrapHandler>, Name>;
}[Hook];

export interface HookRunnerSettings {
  /** Called for every call of a handler, when it ends. Errors of this function are ignored. */
  readonly record?: ((call: HookCallRecord) => void) | undefined;
  /** Called with one sentence when a handler is suspended. */
  readonly warn?: ((sentence: string) => void) | undefined;
  /** How long the handlers of one run may take together. The default is 30 seconds. */
  readonly runBudgetMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

export interface RunOptions {
  /** The signal of the run; when it aborts, `run` rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Calls only handlers that are declared pure; the ids of the others are in `skipped`. */
  readonly pureOnly?: boolean | undefined;
  /** With false, the calls are neither recorded nor counted. Previews use this. */
  readonly record?: boolean | undefined;
  /** Computes the event fields that depend on other fields, after a handler rewrote one of those. */
  readonly derive?: ((event: AnswerFields) => AnswerFields) | undefined;
}

export interface HookAnswer<Hook extends AskingHookName> {
  /** All answers combined; an empty object when no handler answered. */
  readonly result: HookTypes[Hook]['result'];
  /** The handler that blocked, claimed or asked; otherwise the first that answered, or the last that rewrote. */
  readonly decidedBy?: HandlerName | undefined;
  /** Set when the answer is a refusal, by decision or because a gate failed. The result refuses as well. */
  readonly refusal?: HookRefusal | undefined;
  /**
   * Which handler wrote which text of the result, in order, for fields that several handlers add to or that the first
   * one sets.
   */
  readonly contributions: readonly HookContribution[];
  readonly calls: readonly HookCallRecord[];
  /** Ids of the handlers that were not called because the caller wanted only pure ones. */
  readonly skipped: readonly string[];
}

export interface Announcement {
  /** The messages, in the order of the handlers. */
  readonly messages: readonly string[];
  readonly calls: readonly HookCallRecord[];
}

export interface HandlerName {
  readonly id: string;
  readonly owner: string;
}

export interface HookContribution extends HandlerName {
  readonly field: string;
  readonly value: unknown;
  /** The handler was registered with `ephemeral`. */
  readonly ephemeral: boolean;
}

export interface HookRefusal extends HandlerName {
  readonly reason: string;
  readonly cause: 'decision' | 'failure';
}

export interface SuspendedHandler extends HandlerName, Suspension {
  readonly hook: HookName;
}

/** Selects the handlers that match all given fields; an empty filter selects all. */
export interface HandlerFilter {
  readonly hook?: string | undefined;
  readonly id?: string | undefined;
  readonly owner?: string | undefined;
}

const DEFAULT_RUN_BUDGET_MS = 30_000;

export class HookRunner<BootstrapHandler = InternalHookHandler> {
  /** Always kept in calling order, so that the listed order is the calling order. */
  readonly #handlers = new Map<HookName, readonly ArmedHandler[]>();
  readonly #listed = new Map<HookName, readonly RegisteredHandler<unknown>[]>();
  #places = new HandlerPlaces();
  readonly #settings: HookRunnerSettings;
  readonly #now: () => number;
  #runBudgetMs: number;
  /** State that a runner shares with its forks. */
  #common = new Common();

  constructor(settings: HookRunnerSettings = {}) {
    this.#settings = settings;
    this.#now = settings.now ?? Date.now;
    this.#runBudgetMs = settings.runBudgetMs ?? DEFAULT_RUN_BUDGET_MS;
  }

  /**
   * Returns the function that unregisters. A second handler of the same id on the same hook is an error, not a
   * replacement.
   */
  register(registration: RegistrationFor<HookName, BootstrapHandler>): () => void;
  register<Hook extends HookName>(
    registration: HandlerRegistration<HandlerFor<Hook, BootstrapHandler>, Hook>,
  ): () => void;
  register(registration: HandlerRegistration<unknown>): () => void {
    const { keepsPlace = false, ...given } = registration;
    const draft = armHandler(given);
    const { hook, id } = draft.registered;
    const handlers = this.#armed(hook);
    const existing = handlers.find(({ registered }) => registered.id === id);
    if (existing) throw new DuplicateHandlerError({ hook, id, owner: existing.registered.owner });
    const armed = { ...draft, place: this.#places.placeOf(hook, id, keepsPlace) };
    const direction = rowOf(hook).order === 'lowest-first' ? 1 : -1;
    const ordered = [...handlers, armed].sort(
      (a, b) => direction * (a.registered.priority - b.registered.priority) || a.place - b.place,
    );
    this.#setHandlers(hook, ordered);
    return () => this.#remove(hook, armed);
  }

  unregister(hook: HookName, id: string): boolean {
    const armed = this.#armed(hook).find(({ registered }) => registered.id === id);
    if (!armed) return false;
    this.#remove(hook, armed);
    return true;
  }

  /**
   * The handlers in calling order. The array is never changed; a new one replaces it when a handler is added or
   * removed.
   */
  list<Hook extends HookName>(hook: Hook): readonly RegisteredHandler<HandlerFor<Hook, BootstrapHandler>>[] {
    return (this.#listed.get(hook) ?? []) as RegisteredHandler<HandlerFor<Hook, BootstrapHandler>>[];
  }

  /** This is cheap, so that a call site can avoid building an event that no handler wants. */
  has(hook: HookName): boolean {
    return this.#armed(hook).length > 0;
  }

  /**
   * A runner with the same handlers, which changes independently from here on. Records, observations and suspensions
   * stay shared.
   */
  fork(): HookRunner<BootstrapHandler> {
    const fork = new HookRunner<BootstrapHandler>(this.#settings);
    for (const [hook, handlers] of this.#handlers) fork.#setHandlers(hook, handlers);
    fork.#places = this.#places.fork();
    fork.#common = this.#common;
    return fork;
  }

  /** Stops calling every handler of this owner, including those that it registers later, until the owner is rearmed. */
  suspend(owner: string, reason: string): void {
    this.#common.suspendedOwners.set(owner, { reason, at: this.#now() });
  }

  /** Every handler that is not called, here and in forks; the reason is a clause, such as `it timed out 3 times`. */
  suspended(): readonly SuspendedHandler[] {
    const all = new Set([...this.#common.suspended, ...[...this.#handlers.values()].flat()]);
    return [...all].flatMap((armed) => {
      const { hook, id, owner } = armed.registered;
      const suspension = this.#suspensionOf(armed);
      return suspension ? [{ hook, id, owner, ...suspension }] : [];
    });
  }

  /** Lets suspended handlers be called again, and gives their number. An owner is rearmed as a whole. */
  rearm(filter: HandlerFilter = {}): number {
    const { suspended, suspendedOwners } = this.#common;
    const before = this.suspended().length;
    if (filter.hook === undefined && filter.id === undefined) {
      if (filter.owner === undefined) suspendedOwners.clear();
      else suspendedOwners.delete(filter.owner);
    }
    for (const armed of suspended) {
      if (!matches(armed, filter)) continue;
      armed.breaker.close();
      suspended.delete(armed);
    }
    return before - this.suspended().length;
  }

  /** Asks the handlers of a hook, one after the other, and combines their answers. */
  async run<Hook extends AskingHookName>(
    hook: Hook,
    event: HookTypes[Hook]['event'],
    context: HookTypes[Hook]['context'],
    options: RunOptions = {},
  ): Promise<HookAnswer<Hook>> {
    if (!this.has(hook)) return { result: {}, contributions: [], calls: [], skipped: [] };
    const row: HookRow = HOOK_CATALOG[hook];
    const shared = contextFields(context);
    const dispatch = this.#dispatch(shared, options);
    const asking = new Asking(hook, event as AnswerFields, options.derive);
    const handlers = this.#armed(hook);
    let ahead: LookAhead | undefined;
    /** The time, where a handler has just ended. The clock is read once for each handler, since it costs as much as a handler. */
    let now: number | undefined;

    for (const armed of handlers) {
      if (asking.isOver) break;
      const { registered, isGate } = armed;
      if (options.pureOnly && !registered.pure) {
        asking.skipped.push(registered.id);
        continue;
      }
      options.signal?.throwIfAborted();
      const limitMs = this.#limitOf(armed, dispatch);
      const uncalled = this.#uncalled(armed, limitMs, dispatch);
      if (uncalled) {
        asking.calls.push(uncalled);
        if (isGate) asking.refuse(registered, suspendedReason(registered));
        continue;
      }
      const call = this.#begin(armed, limitMs, dispatch, now);
      now = undefined;
      try {
        let foreseen: RemoteAnswer | undefined;
        if (registered.remote) {
          ahead ??= new LookAhead(row, shared);
          const others = () => this.#nextAfter(armed, handlers, dispatch);
          foreseen = ahead.arrived(armed) ?? (await ahead.answerOf(armed, asking.seen, call.deadline, others));
        }
        const answered = foreseen
          ? foreseen.value
          : call.invoke(registered.handler, eventFor(armed, asking.seen), handlerContext(shared, call.deadline));
        if (row.sync && !registered.isRemote) refusePromise(answered);
        const answer = isPromiseLike(answered) ? await answered : answered;
        now = call.settled(foreseen?.ms);
        const taken = answer === undefined ? NO_CHANGE : this.#take(armed, row, asking, answer);
        const diff = dispatch.record ? taken.diff : undefined;
        asking.calls.push(this.#ended(armed, dispatch, call, call.done(taken.changed, diff)));
      } catch (error) {
        if (options.signal?.aborted) {
          call.aborted();
          throw options.signal.reason;
        }
        const failure = withOwnWords(this.#failureOf(error, armed, call), asking.seen);
        asking.calls.push(this.#ended(armed, dispatch, call, call.failed(failure)));
        if (isGate) asking.refuse(registered, refusalReason(registered, failure));
      }
    }
    const { result, decidedBy, refusal, contributions, calls, skipped } = asking;
    return { result: result as HookTypes[Hook]['result'], decidedBy, refusal, contributions, calls, skipped };
  }

  /** Tells the observers of a hook, later and in order per session key. They see the event as it is now. */
  observe<Hook extends ObserverHookName>(
    hook: Hook,
    event: HookTypes[Hook]['event'],
    context: HookTypes[Hook]['context'],
  ): void {
    this.#tell(this.#armed(hook), event, context, () => {});
  }

  /**
   * Like `observe`, but waits until all were told or their deadline has passed. Gives the calls that have ended. This
   * is for the hooks that the catalog marks as awaited, and for callers that must know that the observers were told.
   * With an `owner` only that owner's handlers are told.
   */
  async observeAndWait<Hook extends ObserverHookName>(
    hook: Hook,
    event: HookTypes[Hook]['event'],
    context: HookTypes[Hook]['context'],
    { owner }: Pick<HandlerFilter, 'owner'> = {},
  ): Promise<readonly HookCallRecord[]> {
    const calls: HookCallRecord[] = [];
    const all = this.#armed(hook);
    const handlers = owner === undefined ? all : all.filter(({ registered }) => registered.owner === owner);
    const told = this.#tell(handlers, event, context, (call) => calls.push(call));
    if (told.length === 0) return calls;
    const longest = Math.max(...handlers.map(({ registered }) => registered.timeoutMs));
    const isHeldUp = () => handlers.some((each) => each.isHeldUp?.());
    const deadline = new Deadline(longest, this.#common.timer, undefined, isHeldUp);
    try {
      await deadline.race(Promise.all(told));
    } catch {
      // Only the time can be over: the promises of the queue do not reject.
    } finally {
      deadline.close();
    }
    return [...calls];
  }

  /**
   * Tells the handlers of an event of hook packs, one after the other, and gives the messages that they push. Messages
   * that a handler pushed before it threw count; those of a handler that overran its deadline do not.
   */
  async announce(hook: PackHookName, event: PackEvent): Promise<Announcement> {
    const messages: string[] = [];
    const calls: HookCallRecord[] = [];
    const { runId } = event.context;
    const dispatch = this.#dispatch({
      runId: typeof runId === 'string' ? runId : undefined,
      sessionKey: event.sessionKey || undefined,
    });
    for (const armed of this.#armed(hook)) {
      const { timeoutMs, handler } = armed.registered;
      const uncalled = this.#uncalled(armed, timeoutMs, dispatch);
      if (uncalled) {
        calls.push(uncalled);
        continue;
      }
      const call = this.#begin(armed, timeoutMs, dispatch);
      const own = packEventFor(event, armed.eventContext?.(), call.deadline);
      try {
        await call.deadline.race((handler as InternalHookHandler)(own));
        call.settled();
        const said = sayable(own.messages);
        messages.push(...said);
        calls.push(this.#ended(armed, dispatch, call, call.done(said.length > 0 ? ['messages'] : [])));
      } catch (error) {
        const failure = handlerFailureOf(error);
        if (failure.outcome === 'threw') messages.push(...sayable(own.messages));
        const told = { ...withoutQuotes(failure, event), isOwnWords: true };
        calls.push(this.#ended(armed, dispatch, call, call.failed(told)));
      }
    }
    return { messages: messages.slice(0, MAX_MESSAGES), calls };
  }

  /** Observers are about to be told something, which `drain` waits for. Call what it returns when they have been. */
  expectObservation(): () => void {
    return this.#common.observers.expect();
  }

  /** Waits until all observers were told everything, at most this long. Returns how many observations are left. */
  drain(timeoutMs: number): Promise<number> {
    return this.#common.observers.drain(timeoutMs);
  }

  /** Lets each bootstrap handler work on the value that the handler before it left. */
  async chain<Value>(
    hook: BootstrapHookName,
    initial: Value,
    invoke: (handler: RegisteredHandler<BootstrapHandler>, value: Value, deadline: Deadline) => Value | Promise<Value>,
    { record, ...identity }: Pick<HookContext, 'runId' | 'sessionKey'> & Pick<RunOptions, 'record'> = {},
  ): Promise<{ value: Value; calls: HandlerCall[] }> {
    let value = initial;
    const calls: HandlerCall[] = [];
    const dispatch = this.#dispatch(identity, { record });
    for (const armed of this.#armed(hook)) {
      const handler = armed.registered as RegisteredHandler<BootstrapHandler>;
      const limitMs = this.#limitOf(armed, dispatch);
      const uncalled = this.#uncalled(armed, limitMs, dispatch);
      if (uncalled) {
        calls.push(summaryOf(uncalled));
        if (armed.isGate)
          throw new HandlerAbortError({ hook, id: handler.id, reason: uncalled.error ?? 'it is suspended' });
        continue;
      }
      const call = this.#begin(armed, limitMs, dispatch);
      try {
        const answer = await call.deadline.race(invoke(handler, value, call.deadline));
        call.settled();
        const changed = answer === value ? [] : Object.keys(HOOK_CATALOG[hook].combine);
        value = answer;
        calls.push(summaryOf(this.#ended(armed, dispatch, call, call.done(changed))));
      } catch (error) {
        // The event has files and no message, so the error cannot repeat what a person said.
        const failure = { ...this.#failureOf(error, armed, call), isOwnWords: true };
        calls.push(summaryOf(this.#ended(armed, dispatch, call, call.failed(failure))));
        if (armed.isGate)
          throw new HandlerAbortError({ hook, id: handler.id, reason: failure.error }, { cause: error });
      }
    }
    return { value, calls };
  }

  /** Puts one observation per handler into the queue. Gives the promises of those that were accepted. */
  #tell(
    handlers: readonly ArmedHandler[],
    event: object,
    context: HookContext,
    ended: (call: HookCallRecord) => void,
  ): readonly Promise<void>[] {
    const told: Promise<void>[] = [];
    if (handlers.length === 0) return told;
    const frozen = frozenCopy(event);
    const shared = contextFields(context);
    const dispatch = this.#dispatch(shared);
    const sessionKey = context.sessionKey ?? (event as HookContext).sessionKey ?? '';
    for (const armed of handlers) {
      const { handler, owner } = armed.registered;
      const promise = this.#common.observers.add(owner, sessionKey, async () => {
        const { timeoutMs } = armed.registered;
        if (this.#uncalled(armed, timeoutMs, dispatch)) return;
        const call = this.#begin(armed, timeoutMs, dispatch);
        try {
          await call.invoke(handler, snapshotFor(armed, frozen), handlerContext(shared, call.deadline));
          call.settled();
          ended(this.#ended(armed, dispatch, call, call.done([])));
        } catch (error) {
          const failure = withOwnWords(handlerFailureOf(error), event as AnswerFields);
          ended(this.#ended(armed, dispatch, call, call.failed(failure)));
        }
      });
      if (promise) told.push(promise);
      else this.#leaveOut(armed, shared, 'dropped', `${MAX_WAITING} observations were waiting for ${owner} already`);
    }
    return told;
  }

  #dispatch(context: HookContext, options: RunOptions = {}): Dispatch {
    const isCounted = options.record !== false;
    return {
      context,
      options,
      isCounted,
      budget: isCounted ? this.#common.budgets.of(context.runId) : undefined,
      record: isCounted ? this.#settings.record : undefined,
      epochOffset: 0,
    };
  }

  /** `now` is the time by `performance.now()`, for a caller that knows it. */
  #begin(armed: ArmedHandler, limitMs: number, dispatch: Dispatch, now?: number | undefined): CallInProgress {
    const { context, options, record } = dispatch;
    const deadline = new Deadline(limitMs, this.#common.timer, options.signal, armed.isHeldUp, now);
    let at: number;
    if (now === undefined) {
      at = this.#now();
      dispatch.epochOffset = at - deadline.startedAt;
    } else at = Math.round(now + dispatch.epochOffset);
    return new CallInProgress(armed, context, deadline, at, record);
  }

  /** The handlers that will certainly be called next. */
  #nextAfter(armed: ArmedHandler, handlers: readonly ArmedHandler[], dispatch: Dispatch): readonly ArmedHandler[] {
    const later = handlers.slice(handlers.indexOf(armed) + 1);
    const wanted = dispatch.options.pureOnly ? later.filter(({ registered }) => registered.pure) : later;
    const end = wanted.findIndex((each) => this.#suspensionOf(each) || this.#limitOf(each, dispatch) <= 0);
    return end < 0 ? wanted : wanted.slice(0, end);
  }

  /** Why a handler is not called, as a record; undefined when it is called. */
  #uncalled(armed: ArmedHandler, limitMs: number, { context, isCounted }: Dispatch): HookCallRecord | undefined {
    const suspension = this.#suspensionOf(armed);
    if (suspension) {
      const isTold = isCounted && (armed.breaker.isNews(suspension) || armed.isGate);
      return this.#leaveOut(armed, context, 'suspended', `suspended, because ${suspension.reason}`, isTold);
    }
    if (limitMs > 0) return undefined;
    const error = `skipped: the handlers of ${armed.registered.owner} have used up their part of the ${this.#runBudgetMs} ms of this run`;
    return this.#leaveOut(armed, context, 'skipped', error);
  }

  /** A handler's own deadline, or the rest of the run's budget if that is less. */
  #limitOf({ registered, spends }: ArmedHandler, { budget }: Dispatch): number {
    if (!spends || !budget) return registered.timeoutMs;
    return budget.limitOf(registered.timeoutMs, registered.owner, this.#runBudgetMs);
  }

  #failureOf(error: unknown, { registered }: ArmedHandler, { deadline }: CallInProgress): HandlerFailure {
    const failure = handlerFailureOf(error);
    if (failure.outcome !== 'timed-out' || deadline.timeoutMs >= registered.timeoutMs) return failure;
    const told = `${failure.error}, which was all that the handlers of this run had left of ${this.#runBudgetMs}ms`;
    return { ...failure, error: told };
  }

  /** Updates budget, breaker and records after a call, unless the call was only for a preview. */
  #ended(
    armed: ArmedHandler,
    { budget, isCounted }: Dispatch,
    { deadline }: CallInProgress,
    call: HookCallRecord,
  ): HookCallRecord {
    if (!isCounted) return call;
    const { registered, breaker, spends } = armed;
    // A timer may fire a part of a millisecond early. The rest is not enough for the next handler, so the whole limit
    // counts as spent.
    const spentMs = call.outcome === 'timed-out' ? Math.max(call.ms, deadline.timeoutMs) : call.ms;
    const { owners } = this.#common;
    const { owner } = registered;
    if (spends) budget?.spend(owner, spentMs);
    if (call.outcome === 'done') {
      if (breaker.isLate) owners.close(owner);
      breaker.answered();
    }
    // A handler that had less than its own deadline, because others had used up the run's budget, is not blamed for the
    // time-out.
    const isOverrun = call.outcome === 'timed-out' && deadline.timeoutMs >= registered.timeoutMs;
    if (isOverrun && breaker.timedOut(this.#now())) {
      this.#common.suspended.add(armed);
      this.#warnOfSuspension(armed);
    }
    const isOverdrawn =
      spends && call.outcome === 'timed-out' && budget !== undefined && budget.leftOf(owner, this.#runBudgetMs) <= 0;
    if (isOverdrawn && owners.overdrew(owner, call.runId ?? '')) this.#suspendSpenders(owner);
    return call;
  }

  #suspensionOf({ registered, breaker, suspension }: ArmedHandler): Suspension | undefined {
    const { suspendedOwners } = this.#common;
    const ofOwner = suspendedOwners.size > 0 ? suspendedOwners.get(registered.owner) : undefined;
    return breaker.suspension ?? ofOwner ?? suspension?.();
  }

  #take(armed: ArmedHandler, row: HookRow, asking: Asking, answer: unknown): TakenAnswer {
    const taken = asking.takeText(armed.registered, answer);
    if (taken) return taken;
    this.#warnOfFields(armed, unknownFields(row, asking.seen, answer, armed.isGate));
    return asking.take(armed.registered, answer);
  }

  /** Said once for each handler and field. */
  #warnOfFields(armed: ArmedHandler, fields: readonly string[]): void {
    if (fields.length === 0) return;
    const { hook, id, owner } = armed.registered;
    const { toldFields } = armed;
    for (const field of fields.slice(0, MAX_TOLD_FIELDS)) {
      if (toldFields.has(field) || toldFields.size >= MAX_TOLD_FIELDS) continue;
      toldFields.add(field);
      this.#settings.warn?.(
        `The handler ${id} of ${owner} answers ${hook} with the field ${oneLine(field, 100)}, which this hook does not know. It is ignored.`,
      );
    }
  }

  #warnOfSuspension({ registered: { hook, id, owner }, isGate }: ArmedHandler): void {
    const closed = isGate ? ', and what it guards stays closed' : '';
    this.#settings.warn?.(
      `The handler ${id} of ${owner} on ${hook} timed out ${MAX_TIMEOUTS} times in a row. It is not called any more${closed}. Let it be called again with: atrium hooks rearm ${id}`,
    );
  }

  /** Gates and observers of the owner are still called: they do not use the budget. */
  #suspendSpenders(owner: string): void {
    const reason = `the handlers of ${owner} used up their time in ${MAX_OVERDRAWN_RUNS} runs in a row`;
    const all = [...this.#handlers.values()].flat().filter((each) => each.spends && each.registered.owner === owner);
    for (const armed of all) {
      if (armed.breaker.suspension) continue;
      armed.breaker.open({ reason, at: this.#now() });
      this.#common.suspended.add(armed);
    }
    this.#common.owners.close(owner);
    this.#settings.warn?.(
      `${reason[0]?.toUpperCase()}${reason.slice(1)}. Those that a run waits for are not called any more. Let them be called again with: atrium hooks rearm ${owner}`,
    );
  }

  #leaveOut(
    { registered: { hook, id, owner } }: ArmedHandler,
    { runId, sessionKey }: HookContext,
    outcome: 'dropped' | 'skipped' | 'suspended',
    error: string,
    isTold = true,
  ): HookCallRecord {
    const call = { hook, id, owner, at: this.#now(), ms: 0, outcome, error, changed: [], runId, sessionKey };
    if (isTold) tell(this.#settings.record, call);
    return call;
  }

  #armed(hook: HookName): readonly ArmedHandler[] {
    return this.#handlers.get(hook) ?? NO_HANDLERS;
  }

  #setHandlers(hook: HookName, handlers: readonly ArmedHandler[]): void {
    this.#handlers.set(hook, handlers);
    this.#listed.set(
      hook,
      handlers.map(({ registered }) => registered),
    );
    const { runBudgetMs = DEFAULT_RUN_BUDGET_MS } = this.#settings;
    const fromOperator = [...this.#handlers.values()]
      .flat()
      .filter(({ registered }) => registered.timeoutFrom === 'operator')
      .map(({ registered }) => registered.timeoutMs);
    this.#runBudgetMs = Math.max(runBudgetMs, ...fromOperator);
  }

  #remove(hook: HookName, armed: ArmedHandler): void {
    this.#common.suspended.delete(armed);
    this.#setHandlers(
      hook,
      this.#armed(hook).filter((each) => each !== armed),
    );
  }
}

/** What the calls of one dispatch have in common. */
interface Dispatch {
  readonly context: HookContext;
  readonly options: RunOptions;
  /** Not for previews: their calls change no budget and no breaker, and leave no record. */
  readonly isCounted: boolean;
  /** Undefined outside of a run as well. */
  readonly budget: RunBudget | undefined;
  readonly record: RecordSink;
  /** What makes a time by `performance.now()` one since 1970, as of the last call that read both clocks. */
  epochOffset: number;
}

/** State that a runner shares with its forks. */
class Common {
  readonly observers = new ObserverQueue();
  readonly timer = new DeadlineTimer();
  readonly budgets = new RunBudgets();
  /** Handlers that are suspended because of their own time-outs. */
  readonly suspended = new Set<ArmedHandler>();
  readonly suspendedOwners = new Map<string, Suspension>();
  readonly owners = new OwnerBreakers();
}

function matches({ registered }: ArmedHandler, { hook, id, owner }: HandlerFilter): boolean {
  if (hook !== undefined && registered.hook !== hook) return false;
  if (id !== undefined && registered.id !== id) return false;
  return owner === undefined || registered.owner === owner;
}

function withOwnWords(failure: HandlerFailure, event: AnswerFields): HandlerFailure {
  return { ...failure, isOwnWords: isOwnWords(failure.error, event) };
}

const MAX_TOLD_FIELDS = 10;

const NO_HANDLERS: readonly ArmedHandler[] = [];

/**
 * A promise is not a valid answer where a plain value is required. Its rejection is handled here, so that it is not
 * reported as unhandled.
 */
function refusePromise(answered: unknown): void {
  if (!isPromiseLike(answered)) return;
  Promise.resolve(answered).catch(() => {});
  throw new InvalidHandlerResult('returned a promise, and this hook takes plain values only');
}
