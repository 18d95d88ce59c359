// The messages between the gateway and the program of the worker: how a worker is started, how a plugin gets its port, and
// how hook handlers are asked. One message asks the handlers of several plugins, and one message brings their answers,
// because a message costs more than most handlers.

import type { MessagePort } from 'node:worker_threads';
import type { EncodedValue } from './crossing-value.ts';
import type { EncodedOutcome } from './wire.ts';

export interface WorkerStart {
  readonly board: SharedArrayBuffer;
  readonly control: MessagePort;
  /** How often it shows that it is alive. */
  readonly beatMs: number;
}

/** The worker says `ready` once; then the gateway brings in plugins, each with a port of its own. */
export interface PluginPort {
  readonly type: 'port';
  readonly slot: number;
  readonly pluginId: string;
  readonly port: MessagePort;
}

export type ToWorker = PluginPort | HookRound | RoundAbort;

export type FromWorker = typeof READY | readonly RoundAnswer[] | Tampering;

export const READY = 'ready';

/** A plugin changed built-ins that all plugins share. The worker begins no more calls after it has said so. */
export interface Tampering {
  readonly type: 'tampering';
  readonly slot: number;
  /** The call that its code belonged to, which may have ended. */
  readonly call: number;
  readonly changed: readonly string[];
}

/** What a plugin's side may send at once: more is a mistake, and copying it would delay every plugin. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Conversations with pictures in them are large; they are the gateway's own and bounded there. */
export const MAX_QUESTION_BYTES = 64 * 1024 * 1024;

export const MAX_CALLS_OF_PLUGIN = 1_000;

export interface HookRound {
  readonly type: 'round';
  /** `all`: observers, which are called at once. The others are called one after the other, as RemoteHandlers says. */
  readonly mode: 'all' | 'answer' | 'end';
  readonly calls: readonly RoundCall[];
  /** A list of `RoundQuestion`, one for each call. What they have in common is in it once. */
  readonly questions: EncodedValue;
}

/** One question may be for all calls; then it stands alone in its list, with what only single handlers see. */
export interface RoundQuestion {
  readonly event: object;
  readonly context: object;
  /** The configuration of each handler's own plugin, in the order of the calls. */
  readonly configs?: readonly (object | undefined)[] | undefined;
}

export interface RoundCall {
  readonly slot: number;
  readonly call: number;
  readonly handle: number;
}

/** The gateway no longer waits for this call. */
export interface RoundAbort {
  readonly type: 'abort';
  readonly slot: number;
  readonly call: number;
  readonly reason: EncodedValue;
}

export interface RoundAnswer extends EncodedOutcome {
  readonly slot: number;
  readonly call: number;
  readonly ms: number;
  /** False when it was not called. */
  readonly isReached: boolean;
}
