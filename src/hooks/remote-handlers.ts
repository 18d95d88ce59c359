// Handlers that run in another thread, as the runner asks them: several with one message, because a message there and
// back costs more than most handlers do. What each of them sees, and whether it is asked at all, is the same as if they
// were asked one by one.

import type { HookContext } from './hook-context.ts';

export interface RemoteHandlers {
  /**
   * Asks them one after the other: `answer` stops after the first that says something, because those after it may see
   * another event or may not be asked at all; `end` goes on. One that fails stops it as well, and so does one that takes
   * its time. Gives a call for each that was sent, from the first on; some or all may have to be asked one by one.
   */
  askInTurn(questions: readonly RemoteQuestion[], context: HookContext, until: 'answer' | 'end'): readonly RemoteCall[];
}

export interface RemoteQuestion {
  /** As it was registered. */
  readonly handler: unknown;
  readonly event: object;
}

export interface RemoteCall {
  /** Undefined when it was not reached, and so not called. Rejects with what it threw. */
  readonly answer: Promise<RemoteAnswer | undefined>;
  /** Whether one that comes after it is being called right now: then it has answered, although nothing has come yet. */
  isPast(): boolean;
  /** Nobody waits for it any more. */
  abort(reason: unknown): void;
}

export interface RemoteAnswer {
  readonly value: unknown;
  /** What it took over there. */
  readonly ms: number;
}
