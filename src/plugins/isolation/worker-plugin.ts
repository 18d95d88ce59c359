// One plugin as the gateway sees it in the worker, also when the worker is started again. Its registrations are functions
// that call the plugin in the current worker; while the plugin is loaded into a new worker they wait. A call that had not
// begun when the worker ended is made again in the next one, because it certainly had no effect.
//
// Errors: calls reject with what the plugin threw, with PluginWorkerError when the worker ended during the call or the
// plugin is suspended, and with PluginGoneError once it is unloaded.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { HOOK_CATALOG, type HookRow } from '../../hooks/catalog.ts';
import { behindContext } from '../../hooks/handler-context.ts';
import type { RemoteHandlers } from '../../hooks/remote-handlers.ts';
import { PluginGoneError, PluginWorkerError, type WorkerNoun } from '../errors.ts';
import { type HandlerSetup, isHandlerSetup } from '../handler-setup.ts';
import type { LoadedPlugin, PluginNote, WorkerEvents } from '../loaded-plugin.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import type { PluginRegistration, PluginTool, PluginToolResult, RouteRegistration } from '../registration.ts';
import type { AnyFunction } from './crossing-value.ts';
import type { CrossingRoute } from './serve-route.ts';
import type { LostCall, Wire } from './wire.ts';
import type { WorkerThread } from './worker-thread.ts';

/** The connection to a plugin in one worker. */
export interface WorkerConnection {
  readonly thread: WorkerThread;
  readonly slot: number;
  readonly wire: Wire;
  readonly registrations: readonly PluginRegistration[];
  readonly notes: readonly PluginNote[];
}

/** Where one of its handlers is now, for a round that calls several handlers at once. */
export interface HandlerPlace {
  readonly connection: WorkerConnection;
  readonly handle: number;
  readonly label: string;
}

/** Undefined when no plugin in the worker has this handler, or its plugin is being loaded again. */
export function findHandler(handler: unknown): HandlerPlace | undefined {
  return typeof handler === 'function' ? handlers.get(handler)?.() : undefined;
}

/** The handlers that were handed over, with how to find them. */
const handlers = new WeakMap<object, () => HandlerPlace | undefined>();

/** A plugin or a handler file, with those who want to know what becomes of it. */
export interface WorkerGuest {
  readonly setup: PluginSetup | HandlerSetup;
  /** Handler files need nothing of it but the log. */
  readonly host: PluginHost | Pick<PluginHost, 'log'>;
  readonly events: WorkerEvents;
}

export class WorkerPlugin implements WorkerGuest {
  readonly setup: WorkerGuest['setup'];
  readonly host: WorkerGuest['host'];
  readonly events: WorkerEvents;
  readonly noun: WorkerNoun;
  readonly #remote: RemoteHandlers;
  readonly #left: (plugin: WorkerPlugin) => void;
  #connection: WorkerConnection | undefined;
  /** Why it is not loaded again by itself. */
  #over: Error | undefined;
  #waiting: (() => void)[] = [];
  #shown: LoadedPlugin | undefined;

  constructor({ setup, host, events }: WorkerGuest, remote: RemoteHandlers, left: (plugin: WorkerPlugin) => void) {
    this.setup = setup;
    this.host = host;
    this.events = events;
    this.noun = isHandlerSetup(setup) ? setup.noun : 'plugin';
    this.#remote = remote;
    this.#left = left;
  }

  get connection(): WorkerConnection | undefined {
    return this.#connection;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  get isGone(): boolean {
    return this.#over instanceof PluginGoneError;
  }

  /** The plugin as it was last given to the caller. */
  get shown(): LoadedPlugin | undefined {
    return this.#shown;
  }

  connect(connection: WorkerConnection): void {
    this.#connection = connection;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Such as `the plugin "notes"`. */
  get title(): string {
    return `the ${this.noun} "${this.setup.id}"`;
  }

  goneError(): PluginGoneError {
    return new PluginGoneError({ pluginId: this.setup.id, noun: this.noun });
  }

  workerError(culprit: WorkerPlugin | undefined, reason: string): PluginWorkerError {
    const { noun, setup } = this;
    // A hook and a plugin may have the same name.
    const isNamesake = culprit !== undefined && culprit !== this && culprit.setup.id === setup.id;
    const name = isNamesake ? `${culprit.noun} ${culprit.setup.id}` : culprit?.setup.id;
    return new PluginWorkerError({ pluginId: setup.id, noun, culprit: name, reason });
  }

  /** The worker has ended; calls wait for the next one. */
  disconnect(reason: string, culprit: WorkerPlugin | undefined): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    connection.wire.end((call) => this.#lost(connection, call, culprit, reason));
  }

  /** After this, nothing of the plugin is called. */
  fail(error: PluginWorkerError | PluginGoneError): void {
    this.#over = error;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** The plugin for the caller. Its functions stay the same when the plugin moves to another worker. */
  show({ registrations, notes }: WorkerConnection): LoadedPlugin {
    const shown: LoadedPlugin = {
      id: this.setup.id,
      where: 'worker',
      registrations: registrations.map((registration, index) => this.#standIn(registration, index)),
      notes,
      isBusy: () => this.#connection?.wire.callsInProgress.some(({ label }) => !OF_ONE_LIFE.test(label ?? '')) ?? false,
      unload: async () => this.unload(),
    };
    this.#shown = shown;
    return shown;
  }

  /** Idempotent. */
  unload(): void {
    if (this.isGone) return;
    const connection = this.#connection;
    this.#connection = undefined;
    this.fail(this.goneError());
    connection?.wire.end(() => this.goneError());
    connection?.thread.closeSlot(connection.slot);
    this.#left(this);
  }

  #standIn(registration: PluginRegistration, index: number): PluginRegistration {
    const what = signatureOf(registration);
    const fields = Object.entries(registration).map(([field, value]) => {
      if (typeof value !== 'function') return [field, value] as const;
      const own = ONLY_THERE.has(field) ? this.#connection : undefined;
      const target: CallTarget = { index, what, field, own, isTold: isObserver(registration) };
      const standIn = (...args: readonly unknown[]) => this.#call(target, args);
      if (registration.kind === 'hook') handlers.set(standIn, () => this.#placeOf(target));
      return [field, registration.kind === 'route' ? forwarding(standIn as CrossingRoute) : standIn] as const;
    });
    const isHeldUp = () => this.#isHeldUp();
    const standIn = { ...Object.fromEntries(fields), isHeldUp } as unknown as PluginRegistration;
    return standIn.kind === 'hook' ? { ...standIn, remote: this.#remote } : standIn;
  }

  /**
   * Whether its calls wait because the worker is ending or being started again, or runs the code of another plugin. Where
   * one of its calls has begun, another may wait for that one, which is the plugin's own affair.
   */
  #isHeldUp(): boolean {
    if (this.#over) return false;
    const connection = this.#connection;
    if (!connection) return true;
    const { board } = connection.thread;
    const running = board.now.slot;
    if (running === connection.slot || !isAwaited(connection)) return false;
    return (
      running !== 0 || !connection.wire.callsInProgress.some((call) => board.hasBegun(connection.slot, call.number))
    );
  }

  #placeOf(target: CallTarget): HandlerPlace | undefined {
    const connection = this.#connection;
    if (!connection || this.#over) return undefined;
    try {
      const handle = connection.wire.handleOf(functionOf(connection, target, () => this.goneError()));
      return handle === undefined ? undefined : { connection, handle, label: labelOf(target) };
    } catch {
      // A single call of the handler reports the problem.
      return undefined;
    }
  }

  /** Begins the call at once where that is possible, so that calls keep their order. */
  #call(target: CallTarget, args: readonly unknown[]): Promise<unknown> {
    const { own, field } = target;
    const connection = this.#connection;
    if (this.isGone) return Promise.reject(this.#over);
    if (own !== undefined && own !== connection) {
      // What it should end has ended together with its worker.
      return field === 'start' ? Promise.reject(this.goneError()) : Promise.resolve();
    }
    if (this.#over) return Promise.reject(this.#over);
    if (connection) return this.#callAt(connection, target, args);
    return new Promise<void>((resume) => this.#waiting.push(resume)).then(() => this.#call(target, args));
  }

  async #callAt(connection: WorkerConnection, target: CallTarget, args: readonly unknown[]): Promise<unknown> {
    try {
      const telling = target.isTold ? this.#tell(connection, target, args as readonly [object, object]) : undefined;
      const told = telling && (await telling);
      if (told) return told.value;
      // The plugin may have moved to another worker before anything was sent.
      if (this.#connection !== connection) return this.#call(target, args);
      const answer = await connection.wire.named(labelOf(target), () =>
        functionOf(connection, target, () => this.goneError())(...args),
      );
      return target.what.kind === 'tool' ? this.#following(answer, connection, target, args) : answer;
    } catch (error) {
      if (error instanceof NeverBegun) return this.#call(target, args);
      throw error;
    }
  }

  /** Undefined, at once or in the end, when it has to be told alone. */
  #tell(connection: WorkerConnection, target: CallTarget, [event, context]: readonly [object, object]) {
    const behind = behindContext(context);
    const place = behind && this.#placeOf(target);
    return place && connection.thread.rounds.tell(place, event, behind);
  }

  /** Tools are made for one run in one worker. If the worker ends before a call begins, they are made again. */
  #following(answer: unknown, connection: WorkerConnection, target: CallTarget, args: readonly unknown[]): unknown {
    if (!Array.isArray(answer)) return answer;
    const execute = async (tool: PluginTool, call: Parameters<PluginTool['execute']>): Promise<PluginToolResult> => {
      try {
        return await connection.wire.named(`its tool ${tool.name}`, () => tool.execute(...call));
      } catch (error) {
        if (!(error instanceof NeverBegun)) throw error;
        const made = (await this.#call(target, args)) as readonly PluginTool[];
        const again = made.find(({ name }) => name === tool.name);
        if (!again) throw this.goneError();
        return again.execute(...call);
      }
    };
    return (answer as readonly PluginTool[]).map((tool) => ({
      ...tool,
      execute: (...call: Parameters<PluginTool['execute']>) => execute(tool, call),
    }));
  }

  #lost(
    connection: WorkerConnection,
    call: LostCall | undefined,
    culprit: WorkerPlugin | undefined,
    reason: string,
  ): Error {
    const { board } = connection.thread;
    const hasBegun = call !== undefined && board.hasBegun(connection.slot, call.number);
    if (culprit !== this && !call?.isAborted && !hasBegun) return new NeverBegun();
    return this.workerError(culprit, reason);
  }
}

/** Whether a call waits that has not begun. */
export function isAwaited({ thread, slot, wire }: WorkerConnection): boolean {
  return wire.callsInProgress.some(({ number }) => !thread.board.hasBegun(slot, number));
}

/** A function of one of the plugin's registrations, wherever the plugin is. */
interface CallTarget {
  readonly index: number;
  readonly what: Signature;
  readonly field: string;
  /** The connection that the call is bound to, for functions that concern one worker only. */
  readonly own: WorkerConnection | undefined;
  /** A handler that only observes, so that its answer is not awaited. */
  readonly isTold: boolean;
}

/** What these functions start or end is gone when the worker ends. */
const ONLY_THERE = new Set(['start', 'stop', 'cleanup']);
/** The labels of their calls, as `labelOf` writes them. An unload does not wait for these calls. */
const OF_ONE_LIFE = / \((?:start|stop|cleanup)\)$/;

/** Only this folder sees this error, and makes the call again. */
export class NeverBegun extends Error {
  constructor() {
    super('The plugin worker was ended before this call began.');
  }
}

function isObserver(registration: PluginRegistration): boolean {
  if (registration.kind !== 'hook' || !Object.hasOwn(HOOK_CATALOG, registration.hook)) return false;
  const row: HookRow = HOOK_CATALOG[registration.hook as keyof typeof HOOK_CATALOG];
  return row.kind === 'observe';
}

/** Node's request and response stay in the gateway. */
function forwarding(ask: CrossingRoute): RouteRegistration['handler'] {
  return async (request, response) => {
    const { forwardRequest } = await import('./forward-request.ts');
    return forwardRequest(request as IncomingMessage, response as ServerResponse, ask);
  };
}

interface Signature {
  readonly kind: string;
  /** The name for people. `key` has everything that distinguishes the registration from others. */
  readonly name: string;
  readonly key: string;
}

/** Enough to see whether the plugin registers the same thing when it is loaded again. */
function signatureOf(registration: PluginRegistration): Signature {
  const { kind, ...fields } = registration as unknown as { readonly kind: string } & Record<string, unknown>;
  const { hook, id, name, method, namespace, names, path, match } = fields;
  const known = [hook, id, name, method, namespace, names, path, match]
    .filter((each) => each !== undefined)
    .map(String);
  return { kind, name: known[0] ?? '', key: JSON.stringify([kind, ...known]) };
}

/** Asked for at every call. */
function keyOf(registration: PluginRegistration): string {
  const known = keys.get(registration);
  if (known !== undefined) return known;
  const { key } = signatureOf(registration);
  keys.set(registration, key);
  return key;
}

const keys = new WeakMap<PluginRegistration, string>();

function functionOf(connection: WorkerConnection, { index, what, field }: CallTarget, gone: () => Error): AnyFunction {
  const registration = connection.registrations[index];
  const found = registration && (registration as unknown as Record<string, unknown>)[field];
  const isSame = registration !== undefined && keyOf(registration) === what.key;
  if (!isSame || typeof found !== 'function') throw gone();
  return found as AnyFunction;
}

/** Says for people what was called. */
function labelOf({ what, field }: CallTarget): string {
  const verb = ONLY_THERE.has(field) || field === 'make' ? ` (${field})` : '';
  const kind = what.kind === 'internal-hook' ? 'handler' : what.kind;
  return `its ${kind} ${what.name}`.trimEnd() + verb;
}
