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
//
// What a channel can do besides this, it declares: channel-capabilities.ts.

import type { AttachmentRef } from '../protocol/attachment.ts';
import type { Button } from '../protocol/button.ts';
import type { Inbound, Surface } from '../protocol/inbound.ts';
import type { InboundChange } from '../protocol/inbound-change.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ChannelCapabilities } from './channel-capabilities.ts';

export interface Channel extends ChannelCapabilities {
  /** The id is also the first part of the channel's surfaces: `web`, `cli`, `discord`. */
  readonly id: string;
  readonly guarantee: DeliveryGuarantee;
  /** The longest text of one message, in characters as the platform counts them. */
  readonly maxTextLength: number;
  /** Set when the platform shows Markdown as formatted text. Words that a person must read literally are sent as code there. */
  readonly rendersMarkdown?: true | undefined;
  open(port: ChannelPort): Promise<void>;
  send(part: OutboundPart, signal: AbortSignal): Promise<SendOutcome>;
  /**
   * Checks whether a part with this key has already arrived. A channel does not need it when its platform removes
   * duplicates.
   */
  find?(part: OutboundPart, signal: AbortSignal): Promise<JsonValue | undefined>;
  close(): Promise<void>;
}

export interface ChannelPort {
  /** Resolves when the message is stored safely. `duplicate` means that it was stored before. */
  receive(inbound: Inbound): Promise<ReceiveResult>;
  /**
   * Resolves when the edit, deletion or reaction is stored safely. It is awaited as `receive` is, and when it rejects,
   * the platform must be free to send the event again.
   */
  receiveChange(change: InboundChange): Promise<ChangeResult>;
  /**
   * Keeps the bytes of a file that came with a message; the inbound names the result. Rejects with an AtriumError when
   * the file is empty or too large.
   */
  keep(file: { readonly name: string; readonly bytes: Uint8Array }): Promise<AttachmentRef>;
  /** The file of an upload, by the id that only who uploaded it knows. Rejects with an AtriumError when there is none. */
  findUpload(id: string): Promise<AttachmentRef>;
  /** The bytes of a file that a part names; undefined when they are no longer there. */
  readAttachment(hash: string): Promise<Uint8Array | undefined>;
}

export interface ChangeResult {
  /**
   * `changed`: a message that waits for its run has the new text. `noted`: the event is in the transcript. `ignored`: it
   * happened where no session is. `duplicate`: the event was stored before.
   */
  readonly outcome: 'changed' | 'noted' | 'ignored' | 'duplicate';
}

export interface ReceiveResult {
  /**
   * `refused` means that the sender may not talk to the agent: no run exists, and `runId` and `sessionKey` are empty.
   * The platform is told "got it" all the same.
   */
  readonly outcome: 'accepted' | 'duplicate' | 'handled' | 'refused';
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
  /** Files that are sent with the text. Only channels that declare `attachments` get them. */
  readonly attachments?: readonly AttachmentRef[] | undefined;
  readonly options: JsonObject;
  /** Only channels that declare buttons are given any. */
  readonly buttons?: readonly Button[] | undefined;
  /**
   * The handle of the draft that this part replaces: the draft's message shows the text of the part. When that message
   * is gone, the part is a new message.
   */
  readonly replaces?: JsonValue | undefined;
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

/** The promise of a surface, which docs/delivery.md and `atrium status` state. */
export interface DeliveryGuarantee {
  readonly level: 'exactly-once' | 'at-least-once' | 'at-most-once';
  /** The reason in one sentence. */
  readonly because: string;
}
