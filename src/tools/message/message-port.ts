// What the message tool needs from the gateway: the channels that exist, which conversations they know, and what is
// done on them. The tool decides what may be done; this port only does it.
//
// Errors: every outcome is a value. The functions reject only when the store refuses or the signal ends the wait.

import type { AttachmentRef } from '../../protocol/attachment.ts';
import type { Surface } from '../../protocol/inbound.ts';
import type { FileKeeper } from '../attach-workspace-file.ts';

export const MESSAGE_ACTIONS = ['send', 'read', 'react', 'edit', 'delete', 'thread-create', 'thread-reply'] as const;
export type MessageAction = (typeof MESSAGE_ACTIONS)[number];

export interface MessagePort {
  /** Keeps a file that is to be sent. */
  readonly files: FileKeeper;
  /** The channels on which people read, each with the actions that it can do. */
  channels(): readonly MessageChannel[];
  /** Whether the channel knows the conversation, or a session was there. */
  isKnown(surface: Surface, signal: AbortSignal): Promise<boolean>;
  /** Some of the conversations that the account could write to, for a model that named one that is unknown. */
  listPeers(place: Pick<Surface, 'channel' | 'accountId'>, signal: AbortSignal): Promise<readonly Surface['peer'][]>;
  /** The session that the messages of this surface belong to. */
  sessionOf(surface: Surface): Promise<{ readonly sessionKey: string; readonly agentId: string }>;
  /** Whether the message was sent here by an agent of this gateway. */
  isOwn(message: MessageName): Promise<boolean>;
  /** Whether this call has sent something before. */
  wasPosted(from: PostOrigin): Promise<boolean>;
  /** Sends through the outgoing hooks and the outbox. The same key sends once, and gives the same outcome again. */
  post(post: Post, signal: AbortSignal): Promise<PostOutcome>;
  /** Changes the text of a message. The outgoing hooks decide about the new text as about any other. */
  edit(edit: Post & MessageName, signal: AbortSignal): Promise<ActOutcome>;
  react(reaction: MessageName & MessageReaction, signal: AbortSignal): Promise<ActOutcome>;
  delete(message: MessageName, signal: AbortSignal): Promise<ActOutcome>;
  createThread(thread: PostedThread, signal: AbortSignal): Promise<ActOutcome<Surface>>;
  read(request: ReadRequest, signal: AbortSignal): Promise<ActOutcome<readonly ReadMessage[]>>;
}

export interface MessageChannel {
  readonly id: string;
  /** The accounts, where the channel says which there are. */
  readonly accounts?: readonly string[] | undefined;
  readonly actions: readonly MessageAction[];
  /** The largest file that people see there as a file; 0 where files are only named in the text. */
  readonly maxFileBytes: number;
}

export interface MessageName {
  readonly surface: Surface;
  readonly messageId: string;
}

export interface MessageReaction {
  readonly emoji: string;
  readonly isRemoved: boolean;
}

/** The tool call that sends something, and the session that it is made in. */
export interface PostOrigin {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly runId: string;
  /** Distinguishes this call from every other call of its run. */
  readonly call: string;
}

export interface Post {
  readonly from: PostOrigin;
  readonly surface: Surface;
  readonly text: string;
  /** Files that were kept before. */
  readonly attachments?: readonly AttachmentRef[] | undefined;
  readonly replyToId?: string | undefined;
}

export type PostOutcome =
  | { readonly outcome: 'sent'; readonly messageIds: readonly string[] }
  /** It is in the outbox and will be sent, but not within the time that the tool waits. */
  | { readonly outcome: 'queued' }
  /** A handler of the outgoing hooks stopped it. */
  | { readonly outcome: 'stopped'; readonly by: string; readonly reason: string }
  | { readonly outcome: 'failed'; readonly reason: string };

export interface PostedThread {
  readonly from: PostOrigin;
  /** The parent. */
  readonly surface: Surface;
  readonly name: string;
  readonly messageId?: string | undefined;
}

export interface ReadRequest {
  readonly surface: Surface;
  readonly limit: number;
  readonly before?: string | undefined;
}

export interface ReadMessage {
  readonly messageId: string;
  readonly from: string;
  readonly text: string;
  readonly at: number;
  readonly isOwn?: true | undefined;
}

export type ActOutcome<Value = null> =
  | { readonly outcome: 'done'; readonly value: Value }
  | { readonly outcome: 'stopped'; readonly by: string; readonly reason: string }
  /** `isPassing` means that the same call may succeed later. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly isPassing: boolean };

/** Where no gateway runs, tools are shown and never called. */
export const NO_MESSAGES: MessagePort = {
  files: { maxBytes: 0, keep: () => noGateway() },
  channels: () => [],
  isKnown: async () => false,
  listPeers: async () => [],
  sessionOf: async () => ({ sessionKey: '', agentId: '' }),
  isOwn: async () => false,
  wasPosted: async () => false,
  post: () => noGateway(),
  edit: () => noGateway(),
  react: () => noGateway(),
  delete: () => noGateway(),
  createThread: () => noGateway(),
  read: () => noGateway(),
};

function noGateway(): Promise<never> {
  return Promise.reject(new Error('Nothing can be sent, because no gateway is running.'));
}
