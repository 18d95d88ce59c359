// The events and answers of hooks for messages that come in or go out. Field names are the plugin contract's and do not
// change. `before_dispatch` is about an outbound dispatch here.

import type { JsonObject } from '../protocol/json.ts';
import type { MessageHookContext } from './hook-context.ts';

export interface MessageHooks {
  inbound_claim: { event: InboundClaimEvent; context: MessageHookContext; result: InboundClaimResult };
  message_received: { event: MessageReceivedEvent; context: MessageHookContext; result: undefined };
  reply_dispatch: { event: ReplyDispatchEvent; context: ReplyDispatchContext; result: ReplyDispatchResult };
  reply_payload_sending: {
    event: ReplyPayloadSendingEvent;
    context: MessageHookContext;
    result: ReplyPayloadSendingResult;
  };
  message_sending: { event: MessageSendingEvent; context: MessageHookContext; result: MessageSendingResult };
  before_dispatch: { event: BeforeDispatchEvent; context: MessageHookContext; result: BeforeDispatchResult };
  message_sent: { event: MessageSentEvent; context: MessageHookContext; result: undefined };
}

/** One answer in the form that every surface understands. */
export interface ReplyPayload {
  readonly text?: string | undefined;
  readonly replyToId?: string | undefined;
  readonly isError?: boolean | undefined;
  readonly mediaUrl?: string | undefined;
  /** Of an answer that goes out: the names of its files. Names that a handler leaves out are not sent. */
  readonly mediaUrls?: readonly string[] | undefined;
  readonly channelData?: JsonObject | undefined;
}

interface TraceFields {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly parentSpanId?: string | undefined;
  readonly callDepth?: number | undefined;
}

/**
 * The message as it came in, separate from what is known about it, so that no handler needs to parse a combined text.
 */
interface InboundBody {
  readonly body?: string | undefined;
  /** The text that the agent would read. The contract has both spellings. */
  readonly bodyForAgent?: string | undefined;
  readonly BodyForAgent?: string | undefined;
  /**
   * The sender, the place, and the message that this one answers. People chose these names, so they are as untrusted as
   * the text.
   */
  readonly userContext?: readonly UserContextBlock[] | undefined;
}

export interface UserContextBlock {
  readonly label: string;
  /** The platform that reports it. */
  readonly source: string;
  readonly type: 'sender' | 'conversation' | 'reply';
  readonly payload: JsonObject;
}

export interface InboundClaimEvent extends TraceFields, InboundBody {
  readonly content: string;
  readonly transcript?: string | undefined;
  readonly timestamp?: number | undefined;
  readonly channel: string;
  readonly accountId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly parentConversationId?: string | undefined;
  readonly senderId?: string | undefined;
  readonly senderName?: string | undefined;
  readonly senderUsername?: string | undefined;
  readonly threadId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly replyToId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly runId?: string | undefined;
  readonly isGroup: boolean;
  readonly commandAuthorized?: boolean | undefined;
  readonly wasMentioned?: boolean | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** `handled` without a reply means that the message is dropped without an answer. */
export interface InboundClaimResult {
  readonly handled?: boolean | undefined;
  readonly reply?: ReplyPayload | undefined;
}

export interface MessageReceivedEvent extends TraceFields, InboundBody {
  readonly from: string;
  readonly content: string;
  readonly timestamp?: number | undefined;
  readonly threadId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly replyToId?: string | undefined;
  readonly senderId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly runId?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

export interface ReplyDispatchEvent {
  readonly runId?: string | undefined;
  readonly sessionKey?: string | undefined;
  /** The answer of the run, before it is split and sent. */
  readonly payloads: readonly ReplyPayload[];
  /** The message that is answered, as the surface described it. */
  readonly ctx?: JsonObject | undefined;
  readonly images?: readonly string[] | undefined;
  readonly inboundAudio?: boolean | undefined;
  readonly sessionTtsAuto?: string | undefined;
  readonly ttsChannel?: string | undefined;
  readonly suppressUserDelivery?: boolean | undefined;
  readonly suppressReplyLifecycle?: boolean | undefined;
  readonly sourceReplyDeliveryMode?: string | undefined;
  readonly shouldRouteToOriginating?: boolean | undefined;
  readonly originatingChannel?: string | undefined;
  readonly originatingTo?: string | undefined;
  readonly shouldSendToolSummaries?: boolean | undefined;
  readonly sendPolicy?: 'allow' | 'deny' | undefined;
  readonly isTailDispatch?: boolean | undefined;
}

export interface ReplyDispatchContext extends MessageHookContext {
  readonly cfg?: object | undefined;
}

/** `handled` means that the handler takes the answer over and the gateway sends nothing. */
export interface ReplyDispatchResult {
  readonly handled?: boolean | undefined;
  readonly queuedFinal?: boolean | undefined;
  readonly counts?: Readonly<Record<string, number>> | undefined;
}

export interface ReplyPayloadSendingEvent {
  readonly payload: ReplyPayload;
  readonly kind: 'final' | 'block' | 'tool';
  readonly channel?: string | undefined;
  readonly to?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly runId?: string | undefined;
}

export interface ReplyPayloadSendingResult {
  readonly payload?: ReplyPayload | undefined;
  readonly cancel?: boolean | undefined;
  readonly cancelReason?: string | undefined;
}

export interface MessageSendingEvent {
  readonly to: string;
  readonly content: string;
  readonly replyToId?: string | undefined;
  readonly threadId?: string | undefined;
  /**
   * With files: `mediaUrls`, their names, and `attachments` with the `kind`, `mimeType`, `name` and `size` of each. The
   * text may then be empty.
   */
  readonly metadata?: JsonObject | undefined;
}

export interface MessageSendingResult {
  readonly content?: string | undefined;
  readonly cancel?: boolean | undefined;
  readonly cancelReason?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** One dispatch to one channel, after `message_sending` and before it is split and handed over. */
export interface BeforeDispatchEvent {
  readonly content: string;
  readonly body?: string | undefined;
  readonly channel: string;
  readonly to?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly runId?: string | undefined;
  readonly senderId?: string | undefined;
  readonly isGroup?: boolean | undefined;
  readonly timestamp?: number | undefined;
  readonly replyToId?: string | undefined;
  readonly threadId?: string | undefined;
}

/**
 * `text` replaces the content. `handled` ends the dispatch: with a text, that text is sent; without one, nothing is
 * sent.
 */
export interface BeforeDispatchResult {
  readonly handled?: boolean | undefined;
  readonly text?: string | undefined;
}

export interface MessageSentEvent extends TraceFields {
  readonly to: string;
  readonly content: string;
  readonly success: boolean;
  readonly messageId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly runId?: string | undefined;
  readonly error?: string | undefined;
}
