import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { TranscriptRow } from '../store/tables.ts';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { loadTranscript, TranscriptMemory } from './transcript-memory.ts';

/** What a run does to the transcript of its session, before the next run begins. */
type Step =
  | { readonly does: 'says'; readonly texts: readonly string[] }
  | { readonly does: 'compacts'; readonly keeps: number }
  | { readonly does: 'withdraws' | 'is marked' | 'is deleted' };

const says = fc.record({
  does: fc.constant('says' as const),
  texts: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 4 }),
});
const step: fc.Arbitrary<Step & { readonly session: string }> = fc
  .tuple(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(
      { weight: 6, arbitrary: says },
      { weight: 2, arbitrary: fc.record({ does: fc.constant('compacts' as const), keeps: fc.nat(3) }) },
      { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('withdraws' as const, 'is marked' as const) }) },
      { weight: 1, arbitrary: fc.record({ does: fc.constant('is deleted' as const) }) },
    ),
  )
  .map(([session, done]) => ({ ...done, session }));

/** The second summary stands for less than the first one. */
const AN_EARLIER_SUMMARY = [
  { session: 'a', does: 'says' as const, texts: ['1', '2', '3'] },
  { session: 'a', does: 'compacts' as const, keeps: 0 },
  { session: 'a', does: 'compacts' as const, keeps: 3 },
];

describe('what is remembered of transcripts', () => {
  it('is what the store has, whatever runs did before and however little room there is', async () => {
    const store = await openSqliteStore({ file: join(await folderForTest(), 'store.db') });
    let tries = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.constantFrom(0, 600, 100_000), async (steps, most) => {
          const memory = new TranscriptMemory(store, { mostChars: most });
          const world = `${tries++}`;
          for (const [index, each] of steps.entries()) {
            const sessionId = `${world}-${each.session}`;
            expect(await memory.load(sessionId)).toEqual(await loadTranscript(store, sessionId));
            expect(memory.chars).toBeLessThanOrEqual(most);
            await takeStep(store, { ...each, sessionId, runId: `run-${index}` });
          }
          for (const session of ['a', 'b', 'c']) {
            const sessionId = `${world}-${session}`;
            expect(await memory.load(sessionId)).toEqual(await loadTranscript(store, sessionId));
          }
        }),
        { numRuns: 40, examples: [[AN_EARLIER_SUMMARY, 100_000]] },
      );
    } finally {
      await store.close();
    }
  });

  it('is read from the store only from the last known row on', async () => {
    const store = await openSqliteStore({ file: join(await folderForTest(), 'store.db') });
    try {
      const memory = new TranscriptMemory(store);
      await takeStep(store, { does: 'says', texts: ['one', 'two'], sessionId: 's', runId: 'r1' });
      const before = await memory.load('s');
      await takeStep(store, { does: 'says', texts: ['three'], sessionId: 's', runId: 'r2' });
      const after = await memory.load('s');
      expect(after.map(({ message }) => message.content)).toEqual(['one', 'two', 'three']);
      // The very same objects, so that what was worked out about them holds.
      expect(after[0]).toBe(before[0]);
      expect(after[1]).toBe(before[1]);
    } finally {
      await store.close();
    }
  });

  it('is of so many sessions, and the one that was silent for longest is forgotten first', async () => {
    const store = await openSqliteStore({ file: join(await folderForTest(), 'store.db') });
    try {
      const memory = new TranscriptMemory(store, { mostSessions: 2 });
      const loaded = new Map<string, unknown>();
      for (const sessionId of ['a', 'b', 'c']) {
        await takeStep(store, { does: 'says', texts: ['one'], sessionId, runId: `run-${sessionId}` });
        loaded.set(sessionId, (await memory.load(sessionId))[0]);
      }
      expect((await memory.load('c'))[0]).toBe(loaded.get('c'));
      expect((await memory.load('b'))[0]).toBe(loaded.get('b'));
      const anew = (await memory.load('a'))[0];
      expect(anew).toEqual(loaded.get('a'));
      expect(anew).not.toBe(loaded.get('a'));
    } finally {
      await store.close();
    }
  });
});

async function takeStep(
  store: Store,
  done: Step & { readonly sessionId: string; readonly runId: string },
): Promise<void> {
  const { sessionId, runId } = done;
  const rows = await store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  const next = (rows.at(-1)?.position ?? 0) + 1;
  const row = (position: number, text: string, more: Partial<TranscriptRow> = {}): TranscriptRow => ({
    ...{ sessionId, position, runId, at: position, kind: 'message', shown: text, meta: {} },
    message: { role: 'user', content: text },
    ...more,
  });
  const add = (...added: readonly TranscriptRow[]) =>
    store.commit(
      added.map((each) => ({ insert: 'transcript', row: each }) as const),
      { site: 'result', lazy: true },
    );
  switch (done.does) {
    case 'says':
      await add(...done.texts.map((text, index) => row(next + index, text)));
      return;
    case 'compacts': {
      const summarisedTo = rows.at(-1 - done.keeps)?.position ?? 0;
      await add(row(next, 'a summary', { kind: 'compaction', meta: { summarisedTo } }), row(next + 1, 'and on'));
      return;
    }
    case 'withdraws':
      await add(row(next, 'nothing to say'));
      await store.commit([{ remove: 'transcript', where: { sessionId, runId } }], { site: 'result', lazy: true });
      return;
    case 'is marked':
      await add(row(next, 'failed'));
      await store.commit([{ update: 'transcript', where: { sessionId, runId }, set: { meta: { told: 'once' } } }], {
        site: 'failure',
        lazy: true,
      });
      return;
    case 'is deleted':
      await store.commit([{ remove: 'transcript', where: { sessionId } }], { site: 'session', lazy: true });
  }
}
