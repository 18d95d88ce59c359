// Why a request to Discord did not succeed, and what that means for what was asked: try later, or never. The reason is a
// sentence without a token, an address or the words of a message. It never leaves this folder as an exception.

import type { SendOutcome } from '../../src/channels/channel.ts';
import type { ActionOutcome } from '../../src/channels/channel-capabilities.ts';

export type FailureKind =
  /** Discord asks to wait. */
  | 'limited'
  /** The token is worth nothing. */
  | 'unauthorized'
  /** Discord refuses this request, and will refuse it again. */
  | 'refused'
  /** Discord did not answer, or answered that it has trouble. */
  | 'unreachable';

export class DiscordFailure extends Error {
  readonly kind: FailureKind;
  /** Discord's own number for the reason, such as 10008 for an unknown message; 0 where it gave none. */
  readonly code: number;
  readonly afterMs: number | undefined;
  readonly mayHaveArrived: boolean;

  constructor(
    kind: FailureKind,
    reason: string,
    details: { readonly code?: number; readonly afterMs?: number; readonly mayHaveArrived?: boolean } = {},
  ) {
    super(reason);
    this.name = 'DiscordFailure';
    this.kind = kind;
    this.code = details.code ?? 0;
    this.afterMs = details.afterMs;
    this.mayHaveArrived = details.mayHaveArrived ?? false;
  }
}

export const UNKNOWN = { channel: 10003, message: 10008 } as const;

export function isUnknown(error: unknown, ...codes: readonly number[]): boolean {
  return error instanceof DiscordFailure && codes.includes(error.code);
}

/** The outcome of a send that failed. What is not Discord's doing is a fault of ours, and is tried again. */
export function sendOutcomeOf(error: unknown): SendOutcome {
  if (!(error instanceof DiscordFailure)) return { outcome: 'retry', reason: reasonOf(error) };
  const { kind, message: reason, afterMs, mayHaveArrived } = error;
  if (kind === 'refused') return { outcome: 'failed', reason };
  return {
    outcome: 'retry',
    reason,
    ...(afterMs !== undefined && { afterMs }),
    ...(mayHaveArrived && { mayHaveArrived }),
  };
}

export function actionOutcomeOf(error: unknown): Exclude<ActionOutcome<never>, { outcome: 'done' }> {
  const isFinal = error instanceof DiscordFailure && error.kind === 'refused';
  return { outcome: isFinal ? 'failed' : 'retry', reason: reasonOf(error) };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the request failed';
}
