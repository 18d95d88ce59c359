// What a channel can do besides receiving and sending. Each capability is one optional member of the channel: a channel
// that declares it has all of it, and one that does not declare it is never asked. `describeChannel` tests each
// capability that is declared, in both directions.
//
// Errors: no function here throws or rejects; every outcome is a value. `failed` means that the same request cannot
// succeed, such as for a message that does not exist; `retry` means that it may succeed later. The reason is a sentence
// that a person or a model can act on.
// Rules: an action that is repeated with the same values has no further effect, because a crash may repeat it. A
// message is named by its surface and the platform's id, which is `messageId` in receipts and in inbounds.
// When it fires: between `open` and `close`. Before and after, the outcome is `retry`.

import type { Peer, Sender, Surface } from '../protocol/inbound.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { Access } from './access.ts';

export interface ChannelCapabilities {
  readonly access?: Access | undefined;
  readonly threads?: Threads | undefined;
  readonly reactions?: Reactions | undefined;
  readonly edits?: Edits | undefined;
  readonly deletes?: Deletes | undefined;
  readonly buttons?: Buttons | undefined;
  readonly typing?: Typing | undefined;
  readonly history?: History | undefined;
  readonly directory?: Directory | undefined;
  readonly accounts?: Accounts | undefined;
  readonly drafts?: Drafts | undefined;
  readonly attachments?: Attachments | undefined;
}

/**
 * Files and images in both directions. The channel keeps the bytes of what people send (`ChannelPort.keep`) and names
 * them in the inbound; it shows the files that a part names with its text. Where a channel does not declare this, the
 * text of the part has a line that names the file.
 */
export interface Attachments {
  /** The largest file that the platform takes. */
  readonly maxBytes: number;
  /** A block of code in an answer that is longer than this is sent as a file. Without it, code is always text. */
  readonly longCode?: number | undefined;
}

export type ActionOutcome<Value = null> =
  | { readonly outcome: 'done'; readonly value: Value }
  | { readonly outcome: 'failed'; readonly reason: string }
  | { readonly outcome: 'retry'; readonly reason: string };

export interface MessageRef {
  readonly surface: Surface;
  readonly messageId: string;
}

/**
 * The surface of a thread is the surface of its parent with a `threadId`. A reply to a thread is a part that is sent to
 * that surface, and what people write in the thread comes from it.
 */
export interface Threads {
  /** Opens a thread and gives its surface. A key that was used before gives the thread that it opened then. */
  create(request: NewThread, signal: AbortSignal): Promise<ActionOutcome<Surface>>;
}

export interface NewThread {
  /** The surface of the parent. A thread has no threads of its own. */
  readonly surface: Surface;
  readonly name: string;
  /** The message that the thread begins from, where there is one. */
  readonly messageId?: string | undefined;
  readonly key: string;
}

/** The channel hands over the reactions of people as changes of kind `reaction`. */
export interface Reactions {
  react(reaction: Reaction, signal: AbortSignal): Promise<ActionOutcome>;
}

export interface Reaction extends MessageRef {
  readonly emoji: string;
  /** Takes the reaction back. */
  readonly isRemoved?: boolean | undefined;
}

/** Edits of the agent's own messages. The channel hands over the edits of people as changes of kind `edit`. */
export interface Edits {
  /** The text is at most `maxTextLength` long. */
  edit(message: MessageRef & { readonly text: string }, signal: AbortSignal): Promise<ActionOutcome>;
}

/** Deletions of messages. The channel hands over the deletions of people as changes of kind `delete`. */
export interface Deletes {
  /** Set where the platform does not tell a channel what people delete. Then only `delete` works. */
  readonly isOneWay?: true | undefined;
  /** A message that does not exist any more counts as deleted. */
  delete(message: MessageRef, signal: AbortSignal): Promise<ActionOutcome>;
}

/**
 * The channel shows the buttons of a part below it. A press arrives as an inbound: its text is the value of the button,
 * its sender is the person who pressed it, and its surface is where the part was shown. A press speaks to the agent, so
 * `wasMentioned` is true.
 */
export interface Buttons {
  /** The most buttons of one part. */
  readonly maxButtons: number;
}

export interface Typing {
  /** How long the sign stays. It is shown again after this time, as long as the run goes on. */
  readonly everyMs: number;
  /** It may fail without notice. */
  show(surface: Surface): void;
}

export interface History {
  /** How many messages a fresh session of a thread is told, as the operator sets it. The default is 100; 0 means none. */
  readonly initialLimit?: number | undefined;
  /**
   * Gives the latest messages of a surface, oldest first. In a thread, the message that it began from is one of them,
   * where people see it there.
   */
  readHistory(request: HistoryRequest, signal: AbortSignal): Promise<ActionOutcome<readonly HistoryMessage[]>>;
}

export interface HistoryRequest {
  readonly surface: Surface;
  /** How many messages are wanted at most; a channel may give fewer. */
  readonly limit: number;
  /** Only messages before this one. */
  readonly before?: string | undefined;
}

export interface HistoryMessage {
  readonly messageId: string;
  readonly sender: Sender;
  readonly text: string;
  readonly at: number;
  /** Set for a message that this channel sent. */
  readonly isOwn?: true | undefined;
}

export interface Directory {
  listPeers(request: DirectoryRequest, signal: AbortSignal): Promise<ActionOutcome<readonly DirectoryEntry[]>>;
}

export interface DirectoryRequest {
  readonly accountId: string;
  /** Only peers whose name or id contains this text. */
  readonly query?: string | undefined;
  readonly limit: number;
}

/** A conversation that the account could write to. */
export interface DirectoryEntry {
  readonly peer: Peer;
  readonly name?: string | undefined;
}

export interface Accounts {
  /** It answers from memory, so that asking costs nothing. */
  list(): readonly AccountStatus[];
}

export interface AccountStatus {
  readonly accountId: string;
  /**
   * `connecting`: before the first connection. `reconnecting`: the connection was lost, and the channel tries again.
   * `limited`: the platform asked to wait. `failed`: the platform refuses for good, and only the operator can mend it.
   */
  readonly state: 'connecting' | 'connected' | 'reconnecting' | 'limited' | 'failed' | 'stopped';
  /** The name of the account on the platform, once it is known. */
  readonly name?: string | undefined;
  /** One sentence for the operator: what happened. */
  readonly detail?: string | undefined;
  /** One sentence for the operator: what to do about it. Missing where the channel mends it itself. */
  readonly nextStep?: string | undefined;
  /** When the state began, in milliseconds. */
  readonly since?: number | undefined;
  /** The node that has the connection, where several nodes share one store. */
  readonly node?: string | undefined;
}

/**
 * How much people see of an answer while it is written. `off`: nothing. `partial`: the text so far. `block`: the text so
 * far, but only whole paragraphs of it. `progress`: which tools are at work, and not the text.
 */
export type DraftMode = 'off' | 'partial' | 'block' | 'progress';

/** Answers that grow while they are written: one message that is edited again and again. */
export interface Drafts {
  /** The operator's choice for this surface. Without it, drafts are `partial` everywhere. */
  modeOf?(surface: Surface): DraftMode;
  /** The longest text of a draft, where it is shorter than `maxTextLength`. */
  readonly maxTextLength?: number | undefined;
  /** The shortest time between two edits of one draft that the platform allows. */
  readonly everyMs: number;
  /**
   * Shows a draft and gives its handle. With a handle, the message of that handle shows the new text; a handle whose
   * message is gone gives a new message and a new handle.
   */
  show(draft: Draft, signal: AbortSignal): Promise<ActionOutcome<JsonValue>>;
  /**
   * Gives the handle of the message that shows the draft of this run, or null when there is none. It is asked when a
   * first show may have arrived and gave no handle, because its receipt was lost or the process died. A platform that
   * keeps no key with a message cannot be asked; there the draft is not shown again in that run, and may stay behind.
   */
  find?(draft: Pick<Draft, 'surface' | 'runId'>, signal: AbortSignal): Promise<ActionOutcome<JsonValue>>;
  /** Removes a draft that no part replaces. A draft that is gone counts as removed. */
  withdraw(draft: Pick<Draft, 'surface' | 'handle'>, signal: AbortSignal): Promise<ActionOutcome>;
}

export interface Draft {
  readonly surface: Surface;
  readonly runId: string;
  /** The whole text so far, at most `maxTextLength` long. */
  readonly text: string;
  /** What an earlier `show` of this run gave. It survives a restart. */
  readonly handle?: JsonValue | undefined;
}
