// What the gateway and the worker say to each other about hooks. One message asks the handlers of several plugins, and
// one message brings their answers, because messages cost more than most handlers do.

import type { EncodedValue } from './crossing-value.ts';
import type { EncodedOutcome } from './wire.ts';

export interface HookRound {
  readonly type: 'round';
  /** `all` at once, for those who are told; else one after the other, as RemoteHandlers says. */
  readonly mode: 'all' | 'answer' | 'end';
  readonly calls: readonly RoundCall[];
  /** A list with an event and a context for each call. What they have in common is in it once. */
  readonly questions: EncodedValue;
}

export interface RoundCall {
  readonly slot: number;
  readonly call: number;
  readonly handle: number;
}

/** Nobody waits for this call any more. */
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
