// What a node keeps in memory about a session is never older than what another node has written: two stores on one schema of a
// real Postgres server, with a memory each.

import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { captureRequest, readCapture } from '../recorder/capture.ts';
import { KnownParts } from '../recorder/known-parts.ts';
import { delegateStore } from '../store/delegate-store.ts';
import { openPostgresStore } from '../store/postgres/open-postgres-store.ts';
import type { Store, Write } from '../store/store.ts';
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

  describe('and that remembers which parts of requests are stored', () => {
    const row = { hash: 'h.1', text: 'x', size: 1, usedAt: 1_000 };
    const write: Write = { insert: 'parts', row, onConflict: 'ignore' };

    /** A node that has learnt that the part is stored, and what it sends. */
    async function knowing(store: Store) {
      const sent: number[] = [];
      const counting = delegateStore(store, {
        commit: (writes, options) => {
          sent.push(writes.length);
          return store.commit(writes, options);
        },
      });
      const known = new KnownParts(counting);
      const uses = () => known.store.commit([write], { site: 'request', lazy: true });
      await expect
        .poll(async () => {
          await uses();
          return sent.at(-1);
        })
        .toBe(0);
      return { known, uses, sent };
    }

    it('leaves them out although another node works too', async () => {
      const [storeA, storeB] = await two();
      const [a, b] = [await knowing(storeA), await knowing(storeB)];
      for (const { uses, sent } of [a, b, a, b]) {
        expect((await uses()).changed).toEqual([0]);
        expect(sent.at(-1)).toBe(0);
      }
    });

    it('writes them again when that one has removed them, and learns them anew', async () => {
      const [storeA, storeB] = await two();
      const [a, b] = [await knowing(storeA), await knowing(storeB)];
      await b.known.forget();
      await storeB.commit([{ remove: 'parts', where: { hash: 'h.1' } }], { site: 'session' });
      expect((await a.uses()).changed).toEqual([1]);
      expect(await storeB.count('parts', { hash: 'h.1' })).toBe(1);
      await expect
        .poll(async () => {
          await a.uses();
          return a.sent.at(-1);
        })
        .toBe(0);
    });

    it('never loses one, however the removals of the other one and its own requests meet', async () => {
      const [storeA, storeB] = await two();
      const [a, b] = [await knowing(storeA), await knowing(storeB)];
      let isOver = false;
      let requests = 0;
      const using = (async () => {
        while (!isOver) {
          requests += 1;
          const id = `run_${requests}`;
          await a.known.store.commit(requestOf(id, 1_000 + requests), { site: 'request', lazy: true });
          // The request is read while it is kept, and then its session is deleted.
          expect(await readCapture(storeA, id)).toMatchObject({ missing: [] });
          await storeA.commit([{ remove: 'captures', where: { runId: id } }], { site: 'prune' });
        }
      })();
      for (let round = 0; round < 300; round += 1) {
        await b.known.forget();
        const parts = await storeB.select('parts');
        const youngest = Math.max(0, ...parts.map(({ usedAt }) => usedAt));
        if ((await storeB.count('captures', {})) > 0) continue;
        const where = { hash: { in: parts.map(({ hash }) => hash) }, usedAt: { lte: youngest } };
        await storeB.commit([{ remove: 'parts', where }], { site: 'session' });
      }
      isOver = true;
      await using;
      expect(requests).toBeGreaterThan(5);
    });
  });
});

function requestOf(runId: string, at: number): readonly Write[] {
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'the same words' }] });
  const wire = { url: 'http://localhost/v1', headers: {}, body };
  return captureRequest({ runId, call: 1, at, provider: 'p', model: 'm', wire });
}
