// What was sent to a surface, for clients that connect and disconnect. The outbox is the mailbox; a socket channel gets
// this view of it and does not know where the parts are kept.

import type { AttachmentRef } from '../protocol/attachment.ts';

export interface Mailbox {
  /**
   * Returns the parts of a surface after `after`, oldest first: those that were sent, and those that are about to be
   * sent.
   */
  history(surfaceId: string, after: number, limit: number): Promise<readonly MailboxPart[]>;
  /** Returns the last part of a surface, and the session that it came from. */
  last(surfaceId: string): Promise<{ readonly seq: number; readonly sessionKey: string } | undefined>;
  /** Those of these surfaces that may have parts after the given one; at least those that have. */
  withMore(places: readonly { readonly surfaceId: string; readonly after: number }[]): Promise<readonly string[]>;
}

export interface MailboxPart {
  /** The number rises over all surfaces. A client uses it to drop parts that it has already shown. */
  readonly seq: number;
  readonly runId: string;
  readonly part: number;
  readonly text: string;
  /** Files that are shown with the text. */
  readonly attachments?: readonly AttachmentRef[] | undefined;
}
