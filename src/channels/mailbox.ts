// What was said to a surface, for clients that come and go. The outbox itself is the mailbox; a socket channel is handed
// this view of it and does not know where the parts are kept.

export interface Mailbox {
  /** The parts of a surface behind `after`, oldest first: those that were sent, and those that are about to be. */
  history(surfaceId: string, after: number, limit: number): Promise<readonly MailboxPart[]>;
  /** The last part of a surface, and the session that it came from. */
  last(surfaceId: string): Promise<{ readonly seq: number; readonly sessionKey: string } | undefined>;
}

export interface MailboxPart {
  /** Counts up over all surfaces. A client drops what it has seen by this number. */
  readonly seq: number;
  readonly runId: string;
  readonly part: number;
  readonly text: string;
}
