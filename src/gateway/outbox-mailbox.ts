// The outbox as the mailbox of a surface: messages that were sent to it, and messages that will be. Rows that were
// given up or suppressed are not part of it.

import type { Mailbox } from '../channels/mailbox.ts';
import { readAttachmentRefs } from '../protocol/attachment.ts';
import type { Store } from '../store/store.ts';

const SHOWN = { in: ['queued', 'sent'] };

export function outboxMailbox(store: Store): Mailbox {
  return {
    history: async (surfaceId, after, limit) => {
      const rows = await store.select('outbox', {
        where: { surfaceId, status: SHOWN, seq: { gt: after } },
        orderBy: [['seq', 'asc']],
        limit,
      });
      return rows.map(({ seq, runId, part, text, options }) => {
        const attachments = readAttachmentRefs(options.attachments);
        return { seq, runId, part, text, ...(attachments.length > 0 && { attachments }) };
      });
    },
    last: async (surfaceId) => {
      const [row] = await store.select('outbox', {
        where: { surfaceId, status: SHOWN },
        orderBy: [['seq', 'desc']],
        limit: 1,
      });
      return row;
    },
  };
}
