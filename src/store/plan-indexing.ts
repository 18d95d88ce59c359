// Plans the writes that put entries of transcripts on the list of what the search is to index. They belong into the commit
// that stores the entries.

import type { Write } from './store.ts';

/** Of these writes, those that store what a person or an agent has said count. */
export function planIndexing(writes: readonly Write[]): readonly Write[] {
  return writes.flatMap((write): readonly Write[] => {
    if (!('insert' in write) || write.insert !== 'transcript') return [];
    const { sessionId, position, kind, message } = write.row;
    if (kind !== 'message' || message.role === 'tool') return [];
    // The entries of a heartbeat that found nothing are withdrawn, and their positions are used again.
    return [{ insert: 'entriesToIndex', row: { sessionId, position }, onConflict: 'ignore' }];
  });
}
