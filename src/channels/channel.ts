// The Channel contract: an adapter to one platform. It turns the platform's events into inbounds, and parts of answers
// into the platform's messages. It knows no sessions, no agents and no store.
//
// Errors: `send` never throws; every outcome is a value. `open` rejects when the platform refuses for good, such as a
// wrong token; a lost connection is the channel's own to mend.
// Result: a part counts as sent when `send` says so, and only then.
// Rules: `receive` is awaited before the platform is told "got it"; when it rejects, the platform must be free to send
// the event again. A part may be sent again after a crash with the same `key`: a channel passes it on as nonce where
// the platform dedupes, and `find` looks for it where the platform does not.
// When it fires: `open` once, then `send` at any time, `close` once; after `close` nothing more is received.

import type { Inbound, Surface } from '../protocol/inbound.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

export interface Channel {
  /** Also the first part of its surfaces: `web`, `cli`, `discord`. */
  readonly id: string;
  readonly guarantee: DeliveryGuarantee;
  /** The longest text of one message, in characters as the platform counts them. */
  readonly maxTextLength: number;
  open(port: ChannelPort): Promise<void>;
  send(part: OutboundPart, signal: AbortSignal): Promise<SendOutcome>;
  /** Looks whether a part with this key has already arrived. Channels whose platform dedupes need none. */
  find?(part: OutboundPart, signal: AbortSignal): Promise<JsonValue | undefined>;
  /** Shows a draft that the sent parts will replace. Best effort; may be called often. */
  draft?(surface: Surface, draft: Draft): void;
  close(): Promise<void>;
}

export interface ChannelPort {
  /** Resolves when the message is safe. `duplicate` means that it already was. */
  receive(inbound: Inbound): Promise<ReceiveResult>;
}

export interface ReceiveResult {
  readonly outcome: 'accepted' | 'duplicate' | 'handled';
  readonly runId: string;
  readonly sessionKey: string;
}

export interface OutboundPart {
  /** The run and the part's number; the same for every attempt. */
  readonly key: string;
  readonly seq: number;
  readonly runId: string;
  readonly part: number;
  readonly surface: Surface;
  readonly text: string;
  readonly options: JsonObject;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

export type SendOutcome =
  | { readonly outcome: 'sent'; readonly receipt: JsonValue }
  /** Not now. `mayHaveArrived` when the platform did not answer, so that a second try looks first. */
  | { readonly outcome: 'retry'; readonly reason: string; readonly afterMs?: number; readonly mayHaveArrived?: boolean }
  | { readonly outcome: 'failed'; readonly reason: string };

export interface Draft {
  readonly runId: string;
  readonly attempt: number;
  /** The whole text so far. */
  readonly text: string;
}

/** What a surface promises, stated in docs/delivery.md and by `atrium status`. */
export interface DeliveryGuarantee {
  readonly level: 'exactly-once' | 'at-least-once' | 'at-most-once';
  /** Why, in one sentence. */
  readonly because: string;
}
