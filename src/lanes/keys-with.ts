// Finds the keys that have triggers of a status. The key with the oldest first trigger comes first.
// Rows are read in pages, and the payloads are dropped at once. Each page begins after a key.

import type { Store } from '../store/store.ts';

const PAGE = 64;

export async function keysWith(store: Pick<Store, 'select'>, status: 'claimed' | 'queued'): Promise<readonly string[]> {
  const firstSeqs = new Map<string, number>();
  let last = '';
  for (;;) {
    const rows = await store.select('inbox', {
      where: { status, sessionKey: { gt: last } },
      orderBy: [
        ['sessionKey', 'asc'],
        ['seq', 'asc'],
      ],
      limit: PAGE,
    });
    for (const { sessionKey, seq } of rows) if (!firstSeqs.has(sessionKey)) firstSeqs.set(sessionKey, seq);
    last = rows.at(-1)?.sessionKey ?? last;
    if (rows.length < PAGE) break;
  }
  return [...firstSeqs].sort(([, a], [, b]) => a - b).map(([sessionKey]) => sessionKey);
}
