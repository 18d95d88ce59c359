// What a node keeps in memory about a session is never older than what another node has written: two stores on one schema of a
// real Postgres server, with a memory each.

import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { KnownParts } from '../recorder/known-parts.ts';
import { openPostgresStore } from '../store/postgres/open-postgres-store.ts';
import type { Store } from '../store/store.ts';
import type { TranscriptRow } from '../store/tables.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';
import { loadTranscript, TranscriptMemory } from './transcript-memory.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());

const sessionId = 'ses_1';

function entry(position: number, text: string, kind: TranscriptRow['kind'] = 'message', meta = {}): TranscriptRow {
  const message = { role: 'user' as const, content: text };
  return { sessionId, position, runId: `run_${position}`, at: position, kind, message, shown: null, meta };
}

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server)('a node whose session another node has worked for', () => {
  const stores: Store[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  let schemas = 0;
  async function two(): Promise<readonly [Store, Store]> {
    schemas += 1;
    const options = { url: server?.url ?? '', schema: `memory_${schemas}` };
    const opened = [await openPostgresStore(options), await openPostgresStore(options)] as const;
    stores.push(...opened);
    return opened;
  }

  it('reads what that one has said, also when it has summarised the past or taken something back', async () => {
    const [storeA, storeB] = await two();
    const [a, b] = [new TranscriptMemory(storeA), new TranscriptMemory(storeB)];
    const says = (store: Store, row: TranscriptRow) =>
      store.commit([{ insert: 'transcript', row }], { site: 'result' });
    const both = async () => {
      const truth = await loadTranscript(storeA, sessionId);
      expect(await a.load(sessionId)).toEqual(truth);
      expect(await b.load(sessionId)).toEqual(truth);
      return truth.length;
    };
    await says(storeA, entry(1, 'run at a'));
    expect(await both()).toBe(1);
    await says(storeB, entry(2, 'run at b'));
    await says(storeB, entry(3, 'and once more'));
    expect(await both()).toBe(3);
    await says(storeA, entry(4, 'run at a again'));
    expect(await both()).toBe(4);
    // The run at b takes its last entry back and says something else in its place.
    await storeB.commit([{ remove: 'transcript', where: { sessionId, position: 4 } }], { site: 'result' });
    expect(await both()).toBe(3);
    await says(storeB, { ...entry(4, 'another'), runId: 'run_b', at: 9 });
    expect(await both()).toBe(4);
    await says(storeB, entry(5, 'what was said', 'compaction', { summarisedTo: 3 }));
    expect(await both()).toBe(2);
  });

  it('writes the parts of a request again that that one may have removed', async () => {
    const [storeA, storeB] = await two();
    const known = new KnownParts(storeA, { isAlone: () => false });
    const row = { hash: 'h.1', text: 'x', size: 1, usedAt: 1_000 };
    const uses = () =>
      known.store.commit([{ insert: 'parts', row, onConflict: 'ignore' }], { site: 'request', lazy: true });
    await uses();
    await storeB.commit([{ remove: 'parts', where: { hash: 'h.1' } }], { site: 'session' });
    await uses();
    expect(await storeB.count('parts', { hash: 'h.1' })).toBe(1);
  });
});
