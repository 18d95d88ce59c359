// One plugin as the gateway sees it in the worker, across the worker's lives. Its registrations stand here as functions
// that call to wherever the plugin is now; while it is moved to a new worker they wait. A call that had not begun when
// the worker ended is made again in the next one, because it certainly had no effect.
//
// Errors: calls reject with what the plugin threw, with PluginWorkerError when the worker ended during the call or the
// plugin is suspended, and with PluginGoneError once it is unloaded.

import { PluginGoneError, PluginWorkerError } from '../../protocol/errors.ts';
import type { LoadedPlugin, PluginNote } from '../loaded-plugin.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginSeat } from '../plugin-seat.ts';
import type { PluginRegistration, PluginTool } from '../registration.ts';
import type { AnyFunction } from './crossing-value.ts';
import type { LostCall, Wire } from './wire.ts';
import type { WorkerThread } from './worker-thread.ts';

/** Where a plugin is, in one life of the worker. */
export interface TenantHome {
  readonly thread: WorkerThread;
  readonly slot: number;
  readonly wire: Wire;
  readonly registrations: readonly PluginRegistration[];
  readonly notes: readonly PluginNote[];
}

export class WorkerTenant {
  readonly seat: PluginSeat;
  readonly host: PluginHost;
  readonly #left: (tenant: WorkerTenant) => void;
  #home: TenantHome | undefined;
  /** Why it will not come back by itself. */
  #over: Error | undefined;
  #waiting: (() => void)[] = [];
  #face: LoadedPlugin | undefined;

  constructor(seat: PluginSeat, host: PluginHost, left: (tenant: WorkerTenant) => void) {
    this.seat = seat;
    this.host = host;
    this.#left = left;
  }

  get home(): TenantHome | undefined {
    return this.#home;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  get isGone(): boolean {
    return this.#over instanceof PluginGoneError;
  }

  /** As it was last handed over. */
  get face(): LoadedPlugin | undefined {
    return this.#face;
  }

  moveIn(home: TenantHome): void {
    this.#home = home;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** The worker has ended; calls wait for the next one. */
  moveOut(reason: string, culprit: string | undefined): void {
    const home = this.#home;
    if (!home) return;
    this.#home = undefined;
    home.wire.end((call) => this.#lost(home, call, culprit, reason));
  }

  /** Nothing of it is called again. */
  giveUp(error: PluginWorkerError | PluginGoneError): void {
    this.#over = error;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** What is handed over: the same functions follow the plugin from worker to worker. */
  show({ registrations, notes }: TenantHome): LoadedPlugin {
    const face: LoadedPlugin = {
      id: this.seat.id,
      where: 'worker',
      registrations: registrations.map((registration, index) => this.#standIn(registration, index)),
      notes,
      unload: async () => this.unload(),
    };
    this.#face = face;
    return face;
  }

  /** Idempotent. */
  unload(): void {
    if (this.isGone) return;
    const home = this.#home;
    this.#home = undefined;
    this.giveUp(new PluginGoneError(this.seat.id));
    home?.wire.end(() => new PluginGoneError(this.seat.id));
    home?.thread.leave(home.slot);
    this.#left(this);
  }

  #standIn(registration: PluginRegistration, index: number): PluginRegistration {
    const what = signatureOf(registration);
    const fields = Object.entries(registration).map(([field, value]) => {
      if (typeof value !== 'function') return [field, value] as const;
      const own = ONLY_THERE.has(field) ? this.#home : undefined;
      return [field, (...args: readonly unknown[]) => this.#call({ index, what, field, own }, args)] as const;
    });
    return Object.fromEntries(fields) as unknown as PluginRegistration;
  }

  /** Begins at once where it can, so that what happens next in the caller comes after it. */
  #call(target: CallTarget, args: readonly unknown[]): Promise<unknown> {
    const { own, field } = target;
    const home = this.#home;
    if (this.isGone) return Promise.reject(this.#over);
    if (own !== undefined && own !== home) {
      // What is to be ended has ended with its worker.
      return field === 'start' ? Promise.reject(new PluginGoneError(this.seat.id)) : Promise.resolve();
    }
    if (this.#over) return Promise.reject(this.#over);
    if (home) return this.#callAt(home, target, args);
    return new Promise<void>((resume) => this.#waiting.push(resume)).then(() => this.#call(target, args));
  }

  async #callAt(home: TenantHome, target: CallTarget, args: readonly unknown[]): Promise<unknown> {
    try {
      const answer = await home.wire.named(labelOf(target), () => functionOf(home, target, this.seat.id)(...args));
      return target.what.kind === 'tool' ? labelled(answer, home.wire) : answer;
    } catch (error) {
      if (error instanceof NeverBegun) return this.#call(target, args);
      throw error;
    }
  }

  #lost(home: TenantHome, call: LostCall | undefined, culprit: string | undefined, reason: string): Error {
    const { board } = home.thread;
    if (call && culprit !== this.seat.id && !call.isAborted && !board.hasBegun(home.slot, call.number)) {
      return new NeverBegun();
    }
    return new PluginWorkerError(this.seat.id, culprit, reason);
  }
}

/** A function of one of the plugin's registrations, wherever the plugin is. */
interface CallTarget {
  readonly index: number;
  readonly what: Signature;
  readonly field: string;
  /** For what concerns one life of the plugin only. */
  readonly own: TenantHome | undefined;
}

/** What these begin or end is gone with the worker: another life of the plugin has its own. */
const ONLY_THERE = new Set(['start', 'stop', 'cleanup']);

class NeverBegun extends Error {}

interface Signature {
  readonly kind: string;
  /** As people call it, and everything that tells it from others. */
  readonly name: string;
  readonly key: string;
}

/** Enough to see whether what a plugin registers in its next life is the same thing. */
function signatureOf(registration: PluginRegistration): Signature {
  const { kind, ...fields } = registration as unknown as { readonly kind: string } & Record<string, unknown>;
  const { hook, id, name, method, namespace, names } = fields;
  const known = [hook, id, name, method, namespace, names].filter((each) => each !== undefined).map(String);
  return { kind, name: known[0] ?? '', key: JSON.stringify([kind, ...known]) };
}

function functionOf(home: TenantHome, { index, what, field }: CallTarget, pluginId: string): AnyFunction {
  const registration = home.registrations[index];
  const found = registration && (registration as unknown as Record<string, unknown>)[field];
  const isSame = registration !== undefined && signatureOf(registration).key === what.key;
  if (!isSame || typeof found !== 'function') throw new PluginGoneError(pluginId);
  return found as AnyFunction;
}

/** For people: what was called. */
function labelOf({ what, field }: CallTarget): string {
  const verb = ONLY_THERE.has(field) || field === 'make' ? ` (${field})` : '';
  return `its ${what.kind} ${what.name}`.trimEnd() + verb;
}

/** Tools are made anew for each run, so they belong to the worker that made them. */
function labelled(answer: unknown, wire: Wire): unknown {
  if (!Array.isArray(answer)) return answer;
  return (answer as readonly PluginTool[]).map((tool) => {
    const { name, execute } = tool;
    return {
      ...tool,
      execute: (...args: Parameters<PluginTool['execute']>) => wire.named(`its tool ${name}`, () => execute(...args)),
    };
  });
}
