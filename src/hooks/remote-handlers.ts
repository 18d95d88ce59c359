// Handlers that run in another thread. The runner asks several of them with one message, because a message there and
// back costs more than most handlers do. Each handler sees the same, and is asked under the same conditions, as if they
// were asked one by one.

import type { HookContext } from './hook-context.ts';

export interface RemoteHandlers {
  /**
   * Asks the handlers one after the other. `answer` stops after the first handler that gives an answer, because later
   * ones may see another event or may not be asked at all; `end` goes on. A handler that fails or is slow stops the
   * sequence as well. Gives a call for each handler that was sent, from the first on; some or all may have to be asked
   * one by one.
   */
  askInTurn(question: RemoteQuestion, until: 'answer' | 'end'): readonly RemoteCall[];
}

/** All of them are asked about the same event, which is sent once. */
export interface RemoteQuestion {
  readonly event: object;
  readonly context: HookContext;
  readonly handlers: readonly RemoteHandler[];
}

export interface RemoteHandler {
  /** The handler function as it was registered. */
  readonly handler: unknown;
  /** Only this handler sees it, as `event.context.pluginConfig`. */
  readonly pluginConfig: object | undefined;
}

export interface RemoteCall {
  /** Undefined when the handler was not reached and so not called. Rejects with what it threw. */
  readonly answer: Promise<RemoteAnswer | undefined>;
  /** The same answer once it has arrived, for a caller that need not wait then. */
  arrived(): RemoteAnswer | undefined;
  /**
   * Whether a later handler is being called right now: then this one has answered, although its answer has not arrived
   * yet.
   */
  isPast(): boolean;
  /** The caller does not wait for this call any more. */
  abort(reason: unknown): void;
}

export interface RemoteAnswer {
  readonly value: unknown;
  /** How long the handler took in its own thread. */
  readonly ms: number;
}
