// The outbox as the mailbox of a surface: messages that were sent to it, and messages that will be. Rows that were
// given up or suppressed are not part of it.

import type { Mailbox } from '../channels/mailbox.ts';
import { readAttachmentRefs } from '../protocol/attachment.ts';
import type { Store } from '../store/store.ts';

const SHOWN = { in: ['queued', 'sent'] };
const PLACES_A_READ = 50;
const ROWS_A_READ = 200;

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
    withMore: async (places) => {
      const found = new Set<string>();
      // Places that were shown about the same numbers are asked for together, so that little is read that was shown.
      const sorted = places.toSorted((a, b) => a.after - b.after);
      for (let at = 0; at < sorted.length; at += PLACES_A_READ) {
        const asked = new Map(sorted.slice(at, at + PLACES_A_READ).map(({ surfaceId, after }) => [surfaceId, after]));
        const rows = await store.select('outbox', {
          where: { surfaceId: { in: [...asked.keys()] }, status: SHOWN, seq: { gt: sorted[at]?.after ?? 0 } },
          orderBy: [['seq', 'desc']],
          limit: ROWS_A_READ,
        });
        for (const { surfaceId, seq } of rows) if (seq > (asked.get(surfaceId) ?? seq)) found.add(surfaceId);
        if (rows.length === ROWS_A_READ) for (const surfaceId of asked.keys()) found.add(surfaceId);
      }
      return [...found];
    },
  };
}
