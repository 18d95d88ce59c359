// Calls between the gateway and one plugin in the worker, over a port of their own. Both ends are alike: each can call
// the function that the other began with, and every function that has crossed since. A function that crossed is kept
// until its stand-in is collected on the other side; a signal is followed until the call that it went with has ended.
//
// Errors: a call rejects with what the other side threw, with PluginCrossingError when something in it cannot cross, and
// with what `end` was given once the wire has ended.

import type { MessagePort } from 'node:worker_threads';
import { isPromiseLike } from '../../hooks/deadline.ts';
import { PluginCrossingError, PluginRefusedError, type WorkerNoun } from '../errors.ts';
import {
  type AnyFunction,
  CannotCross,
  type CrossingEntries,
  decodeValue,
  type EncodedValue,
  encodedError,
  encodeReason,
  encodeValue,
} from './crossing-value.ts';

export interface WireSettings {
  readonly pluginId: string;
  /** The default is `plugin`. */
  readonly noun?: WorkerNoun | undefined;
  readonly port: MessagePort;
  /** What the other side calls first. */
  readonly root?: AnyFunction | undefined;
  readonly maxBytes: number;
  /** How many calls may wait for their answers at once. */
  readonly maxCalls: number;
  /** Runs what the other side asked for, so that it is known whose code runs. */
  readonly around?: ((call: number, run: () => void) => void) | undefined;
}

/** A call that has got no answer yet. */
export interface CallInProgress {
  readonly number: number;
  readonly label: string | undefined;
}

/** A call that got no answer before the wire ended. */
export interface LostCall extends CallInProgress {
  /** The caller has given up in the meantime. */
  readonly isAborted: boolean;
}

type WireMessage =
  | { readonly type: 'call'; readonly call: number; readonly handle: number; readonly args: EncodedValue }
  | { readonly type: 'tell'; readonly handle: number; readonly args: EncodedValue }
  | { readonly type: 'answer'; readonly call: number; readonly value: EncodedValue }
  | { readonly type: 'failure'; readonly call: number; readonly thrown: EncodedValue }
  | { readonly type: 'abort'; readonly signal: number; readonly reason: EncodedValue }
  | { readonly type: 'release'; readonly handle: number };

/** How a call ended; without both fields it returned nothing. */
export interface EncodedOutcome {
  readonly value?: EncodedValue | undefined;
  readonly thrown?: EncodedValue | undefined;
}

interface PendingCall {
  readonly label: string | undefined;
  readonly signals: readonly FollowedSignal[];
  readonly isAborted: () => boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface FollowedSignal {
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

const ROOT = 0;

export class Wire {
  readonly #settings: WireSettings;
  readonly #pending = new Map<number, PendingCall>();
  /** This side's functions that the other side can call. */
  readonly #functions = new Map<number, AnyFunction>();
  /** The handles of the other side's functions, by their stand-ins here. */
  readonly #handles = new WeakMap<AnyFunction, number>();
  readonly #collected = new FinalizationRegistry<number>((handle) => this.#post({ type: 'release', handle }));
  /** Signals of the other side, for the calls that are served here. */
  readonly #controllers = new Map<number, AbortController>();
  #lastCall = 0;
  #lastHandle = ROOT;
  #lastSignal = 0;
  #label: string | undefined;
  #ended: ((call?: LostCall) => Error) | undefined;

  constructor(settings: WireSettings) {
    this.#settings = settings;
    if (settings.root) this.#functions.set(ROOT, settings.root);
    settings.port.on('message', (message: WireMessage) => {
      try {
        this.#receive(message);
      } catch {
        // This was not one of our messages: a plugin may have written to the port of another.
      }
    });
    settings.port.on('messageerror', () => {});
    // Only a call that waits for its answer keeps the process alive.
    settings.port.unref();
  }

  /** Calls what the other side began with. */
  callRoot(args: readonly unknown[]): Promise<unknown> {
    return this.#call(ROOT, args);
  }

  /** Calls a function of the other side without wanting an answer. What cannot cross is dropped. */
  tell(standIn: AnyFunction, args: readonly unknown[]): void {
    const handle = this.#handles.get(standIn);
    if (handle === undefined || this.#ended) return;
    try {
      this.#post({ type: 'tell', handle, args: this.#encode(args).encoded });
    } catch {
      // The sender does not wait for an answer.
    }
  }

  /** Calls that `begin` makes before it returns carry this label, which names them when the worker is ended. */
  named<Result>(label: string, begin: () => Result): Result {
    this.#label = label;
    try {
      return begin();
    } finally {
      this.#label = undefined;
    }
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Registers a call that is sent over another port and answered with `settle`. Not allowed after the end. */
  open(label: string, isAborted = () => false): { readonly number: number; readonly answer: Promise<unknown> } {
    this.#lastCall += 1;
    const number = this.#lastCall;
    const answer = new Promise((resolve, reject) => {
      this.#await(number, { label, signals: [], isAborted, resolve, reject });
    });
    return { number, answer };
  }

  /** Ends a call with what `encodeAnswer` or `encodeFailure` made of its outcome on the other side. */
  settle(call: number, { value, thrown }: EncodedOutcome, answerOf: (value: unknown) => unknown): void {
    this.#settle(call, ({ resolve, reject }) => {
      if (thrown) reject(decodeValue(thrown, this.#entries));
      else resolve(answerOf(value && decodeValue(value, this.#entries)));
    });
  }

  /** The number by which the other side knows the function behind a stand-in. */
  handleOf(standIn: AnyFunction): number | undefined {
    return this.#handles.get(standIn);
  }

  /** The function behind a number that the other side named. */
  functionAt(handle: number): AnyFunction | undefined {
    return this.#functions.get(handle);
  }

  encodeAnswer(answer: unknown): EncodedOutcome {
    if (answer === undefined) return {};
    try {
      return { value: this.#encode(answer, false).encoded };
    } catch (error) {
      return this.encodeFailure(error);
    }
  }

  encodeFailure(error: unknown): EncodedOutcome {
    try {
      return { thrown: error instanceof Error ? encodedError(error) : this.#encode(error, false).encoded };
    } catch (problem) {
      return { thrown: encodedError(problem) };
    }
  }

  get callsInProgress(): readonly CallInProgress[] {
    return [...this.#pending].map(([number, { label }]) => ({ number, label }));
  }

  /** How many of this side's functions the other side holds. */
  get held(): number {
    return this.#functions.size;
  }

  /** After this no message passes. It can be called again; the first reason counts. */
  end(reason: (call?: LostCall) => Error): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.#settings.port.close();
    this.#functions.clear();
    for (const [number, { label, signals, isAborted, reject }] of this.#pending) {
      stopFollowing(signals);
      reject(reason({ number, label, isAborted: isAborted() }));
    }
    this.#pending.clear();
    for (const controller of this.#controllers.values()) controller.abort(reason());
    this.#controllers.clear();
  }

  #call(handle: number, args: readonly unknown[]): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended());
    const { pluginId, maxCalls } = this.#settings;
    if (this.#pending.size >= maxCalls) {
      return Promise.reject(
        new PluginRefusedError({ pluginId, detail: `${maxCalls} of its calls wait for an answer already` }),
      );
    }
    return new Promise((resolve, reject) => {
      // A value that cannot cross throws here, which rejects.
      const { encoded, signals } = this.#encode(args);
      this.#lastCall += 1;
      const call = this.#lastCall;
      const isAborted = () => signals.some(({ signal }) => signal.aborted);
      this.#await(call, { label: this.#label, signals, isAborted, resolve, reject });
      this.#post({ type: 'call', call, handle, args: encoded });
    });
  }

  #await(call: number, pending: PendingCall): void {
    if (this.#pending.size === 0) this.#settings.port.ref();
    this.#pending.set(call, pending);
  }

  #receive(message: WireMessage): void {
    if (this.#ended) return;
    switch (message.type) {
      case 'call':
        this.#serve(message.call, message.handle, message.args);
        return;
      case 'tell':
        this.#hear(message.handle, message.args);
        return;
      case 'answer':
        this.#settle(message.call, ({ resolve }) => resolve(decodeValue(message.value, this.#entries)));
        return;
      case 'failure':
        this.#settle(message.call, ({ reject }) => reject(decodeValue(message.thrown, this.#entries)));
        return;
      case 'abort':
        this.#controllers.get(message.signal)?.abort(decodeValue(message.reason, this.#entries));
        return;
      case 'release':
        if (message.handle !== ROOT) this.#functions.delete(message.handle);
    }
  }

  #settle(call: number, how: (pending: PendingCall) => void): void {
    const pending = this.#pending.get(call);
    if (!pending) return;
    this.#pending.delete(call);
    if (this.#pending.size === 0) this.#settings.port.unref();
    stopFollowing(pending.signals);
    try {
      how(pending);
    } catch (error) {
      pending.reject(error);
    }
  }

  #serve(call: number, handle: number, encoded: EncodedValue): void {
    const controllers: number[] = [];
    const finish = (send: () => void) => {
      for (const signal of controllers) this.#controllers.delete(signal);
      if (!this.#ended) send();
    };
    const fail = (error: unknown) =>
      finish(() => {
        const { thrown = NOTHING } = this.encodeFailure(error);
        this.#post({ type: 'failure', call, thrown });
      });
    const answer = (given: unknown) =>
      finish(() => {
        const { value = NOTHING, thrown } = this.encodeAnswer(given);
        if (thrown) this.#post({ type: 'failure', call, thrown });
        else this.#post({ type: 'answer', call, value });
      });
    const run = () => {
      try {
        const callback = this.#functions.get(handle);
        if (!callback)
          throw new PluginRefusedError({
            pluginId: this.#settings.pluginId,
            detail: 'what it called is no longer there',
          });
        const args = decodeValue(encoded, this.#entriesFor(controllers)) as readonly unknown[];
        const result = callback(...args);
        if (isPromiseLike(result)) result.then(answer, fail);
        else answer(result);
      } catch (error) {
        fail(error);
      }
    };
    const { around } = this.#settings;
    if (around) around(call, run);
    else run();
  }

  #hear(handle: number, encoded: EncodedValue): void {
    try {
      this.#functions.get(handle)?.(...(decodeValue(encoded, this.#entries) as readonly unknown[]));
    } catch {
      // The sender does not wait for an answer.
    }
  }

  /** Signals cross with calls only: after an answer it is not known how long to follow a signal. */
  #encode(value: unknown, mayHaveSignals = true): { encoded: EncodedValue; signals: readonly FollowedSignal[] } {
    const handles: number[] = [];
    const signals: FollowedSignal[] = [];
    const exits = {
      functionHandle: (callback: AnyFunction) => {
        this.#lastHandle += 1;
        this.#functions.set(this.#lastHandle, callback);
        handles.push(this.#lastHandle);
        return this.#lastHandle;
      },
      signalNumber: (signal: AbortSignal) => {
        if (!mayHaveSignals) throw new CannotCross('an answer has a signal in it');
        this.#lastSignal += 1;
        const number = this.#lastSignal;
        const tell = () => this.#post({ type: 'abort', signal: number, reason: encodeReason(signal.reason) });
        signals.push(follow(signal, tell));
        return number;
      },
    };
    try {
      return { encoded: encodeValue(value, exits, this.#settings.maxBytes), signals };
    } catch (error) {
      for (const handle of handles) this.#functions.delete(handle);
      stopFollowing(signals);
      throw error instanceof CannotCross
        ? new PluginCrossingError({
            pluginId: this.#settings.pluginId,
            noun: this.#settings.noun,
            problem: error.message,
          })
        : error;
    }
  }

  readonly #entries: CrossingEntries = {
    functionOf: (handle) => this.#standIn(handle),
    signalOf: () => AbortSignal.abort(),
  };

  #entriesFor(controllers: number[]): CrossingEntries {
    return {
      functionOf: this.#entries.functionOf,
      signalOf: (number, reason) => {
        const controller = new AbortController();
        if (reason) controller.abort(decodeValue(reason, this.#entries));
        else {
          controllers.push(number);
          this.#controllers.set(number, controller);
        }
        return controller.signal;
      },
    };
  }

  #standIn(handle: number): AnyFunction {
    const standIn: AnyFunction = (...args) => {
      const answer = this.#call(handle, args);
      // A caller may not know that it answers later, and then never handles the rejection.
      answer.catch(() => {});
      return answer;
    };
    this.#handles.set(standIn, handle);
    this.#collected.register(standIn, handle);
    return standIn;
  }

  #post(message: WireMessage): void {
    if (!this.#ended) this.#settings.port.postMessage(message);
  }
}

const NOTHING: EncodedValue = { value: undefined };

function follow(signal: AbortSignal, tell: () => void): FollowedSignal {
  if (!signal.aborted) signal.addEventListener('abort', tell, { once: true });
  return { signal, stop: () => signal.removeEventListener('abort', tell) };
}

function stopFollowing(signals: readonly FollowedSignal[]): void {
  for (const { stop } of signals) stop();
}
