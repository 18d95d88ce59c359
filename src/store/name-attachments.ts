// The writes that name the files of a message. They belong into the commit that keeps the message, whatever row that
// is: an inbox row, a transcript entry or an outbox row. While such a row exists, the file is kept, and the session of
// the row may read it.

import { type AttachmentRef, readAttachmentRefs } from '../protocol/attachment.ts';
import type { Message } from '../protocol/message.ts';
import type { NewRow, Write } from './store.ts';

export interface NamingRun {
  readonly runId: string;
  readonly sessionKey: string;
  readonly at: number;
}

export function nameAttachments(refs: readonly AttachmentRef[], { runId, sessionKey, at }: NamingRun): Write[] {
  return refs.map(({ hash, name, mime, size }) => ({
    insert: 'attachments',
    row: { runId, hash, sessionKey, name, mime, size, at },
    onConflict: 'ignore',
  }));
}

/** The writes that put an answer into the outbox, and name the files that its rows bring. */
export function outboxWrites(rows: readonly NewRow<'outbox'>[], run: NamingRun): Write[] {
  return [...rows.map((row): Write => ({ insert: 'outbox', row })), ...nameAttachments(filesOfRows(rows), run)];
}

export function filesOfRows(rows: readonly Pick<NewRow<'outbox'>, 'options'>[]): readonly AttachmentRef[] {
  return rows.flatMap(({ options }) => readAttachmentRefs(options.attachments));
}

/** The files of all messages, for a session that begins with messages from elsewhere. */
export function attachmentsOf(messages: readonly Message[]): readonly AttachmentRef[] {
  return messages.flatMap((message) => (message.role === 'user' ? (message.attachments ?? []) : []));
}
