// The Channel contract: an adapter to one platform. It turns the platform's events into inbounds, and parts of answers
// into the platform's messages. It knows no sessions, no agents and no store.
//
// Errors: `send` never throws; every outcome is a value. `open` rejects when the platform refuses for good, such as a
// wrong token; the channel itself repairs a lost connection.
// Result: a part counts as sent when `send` says so, and only then.
// Rules: `receive` is awaited before the platform is told "got it"; when it rejects, the platform must be free to send
// the event again. A part may be sent again after a crash with the same `key`: a channel passes it on as a nonce where
// the platform removes duplicates, and `find` looks for it where the platform does not.
// When it fires: `open` once, then `send` at any time, `close` once; after `close` nothing more is received.

import type { Inbound, Surface } from '../protocol/inbound.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

export interface Channel {
  /** The id is also the first part of the channel's surfaces: `web`, `cli`, `discord`. */
  readonly id: string;
  readonly guarantee: DeliveryGuarantee;
  /** The longest text of one message, in characters as the platform counts them. */
  readonly maxTextLength: number;
  open(port: ChannelPort): Promise<void>;
  send(part: OutboundPart, signal: AbortSignal): Promise<SendOutcome>;
  /**
   * Checks whether a part with this key has already arrived. A channel does not need it when its platform removes
   * duplicates.
   */
  find?(part: OutboundPart, signal: AbortSignal): Promise<JsonValue | undefined>;
  /** Shows a draft, which the sent parts will replace. It may fail without notice, and it may be called often. */
  draft?(surface: Surface, draft: Draft): void;
  close(): Promise<void>;
}

export interface ChannelPort {
  /** Resolves when the message is stored safely. `duplicate` means that it was stored before. */
  receive(inbound: Inbound): Promise<ReceiveResult>;
}

export interface ReceiveResult {
  readonly outcome: 'accepted' | 'duplicate' | 'handled';
  readonly runId: string;
  readonly sessionKey: string;
}

export interface OutboundPart {
  /** Made of the run and the number of the part. It is the same for every attempt. */
  readonly key: string;
  readonly seq: number;
  readonly runId: string;
  readonly part: number;
  readonly surface: Surface;
  readonly text: string;
  readonly options: JsonObject;
  /** The first attempt is 1. */
  readonly attempt: number;
}

export type SendOutcome =
  | { readonly outcome: 'sent'; readonly receipt: JsonValue }
  /**
   * The part could not be sent now. `mayHaveArrived` is set when the platform did not answer, so that the next attempt
   * checks first.
   */
  | { readonly outcome: 'retry'; readonly reason: string; readonly afterMs?: number; readonly mayHaveArrived?: boolean }
  | { readonly outcome: 'failed'; readonly reason: string };

export interface Draft {
  readonly runId: string;
  readonly attempt: number;
  /** The whole text so far. */
  readonly text: string;
}

/** The promise of a surface, which docs/delivery.md and `atrium status` state. */
export interface DeliveryGuarantee {
  readonly level: 'exactly-once' | 'at-least-once' | 'at-most-once';
  /** The reason in one sentence. */
  readonly because: string;
}
