// What every Store must do, with any backend. The test of a backend passes a function that makes a store, and must pass
// this whole suite.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../protocol/message.ts';
import { COMMIT_SITES } from './commit-sites.ts';
import {
  CeilingPassedError,
  ClaimLostError,
  InvalidStoreRequestError,
  PreconditionFailedError,
  StoreClosedError,
} from './errors.ts';
import type { Add, CommitOptions, CommitResult, Condition, NewRow, Query, Store, Where, Write } from './store.ts';
import { StoreModel } from './store-model.ts';
import type { TableName } from './tables.ts';

export interface StorePlace {
  /** Opens the store of this place. The second time it contains what the first one wrote. */
  open(): Promise<Store>;
  /** Removes everything. Every store of the place is closed by then. */
  destroy(): Promise<void>;
}

export function describeStore(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`the store in ${name}`, () => {
    let place: StorePlace;
    let store: Store;

    beforeEach(async () => {
      place = await makePlace();
      store = await place.open();
    });

    afterEach(async () => {
      await store.close();
      await place.destroy();
    });

    const accept: CommitOptions = { site: 'accept' };
    const insertRun = (row: Partial<NewRow<'runs'>> = {}) => store.commit([{ insert: 'runs', row: run(row) }], accept);
    const insertInbox = (...rows: Partial<NewRow<'inbox'>>[]) =>
      store.commit(
        rows.map((row) => ({ insert: 'inbox' as const, row: inbox(row) })),
        accept,
      );
    const runIds = async (query: Query<'inbox'>) => (await store.select('inbox', query)).map(({ runId }) => runId);

    describe('keeps rows', () => {
      it('of every table as they were given', async () => {
        const rows = oneOfEach();
        await store.commit(
          Object.entries(rows).map(([table, row]) => ({ insert: table, row }) as Write),
          accept,
        );
        for (const [table, row] of Object.entries(rows)) {
          expect(await store.select(table as TableName), table).toEqual([
            NUMBERED.has(table) ? { ...row, seq: expect.any(Number) } : row,
          ]);
        }
      });

      it('with null in every column that may be null', async () => {
        const nothing = { payload: null, dedupeKey: null, fingerprint: null };
        await insertInbox(nothing);
        await store.commit([{ insert: 'outbox', row: outbox({ receipt: null, error: null }) }], accept);
        expect(await store.select('inbox')).toMatchObject([nothing]);
        expect(await store.select('outbox')).toMatchObject([{ receipt: null, error: null }]);
      });

      it('whose JSON has any characters, and comes back exactly', async () => {
        const texts = ['é 漢字 🙂', 'line\nbreak', '\0 and \u001f', 'lone \ud83d here', '\udc00', '"\\"', '\u2028', ''];
        await store.commit(
          texts.map((content, position) => ({
            insert: 'transcript',
            row: entry({ position, message: user(content) }),
          })),
          accept,
        );
        const rows = await store.select('transcript', { orderBy: [['position', 'asc']] });
        expect(rows.map(({ message }) => message)).toEqual(texts.map(user));
      });

      it('whose JSON has names that mean something to JavaScript', async () => {
        const meta = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": null}');
        await store.commit([{ insert: 'transcript', row: entry({ meta }) }], accept);
        const [row] = await store.select('transcript');
        expect(JSON.stringify(row?.meta)).toBe(JSON.stringify(meta));
        expect(({} as { a?: unknown }).a).toBeUndefined();
      });

      it('whose text has any characters, but for those that no text can hold', async () => {
        const texts = {
          'é 漢字 🙂': 'é 漢字 🙂',
          'a\0b': 'a\uFFFDb',
          'a\ud83db': 'a\uFFFDb',
          "'; DROP": "'; DROP",
          '': '',
        };
        for (const [given, kept] of Object.entries(texts)) {
          await store.commit([{ insert: 'parts', row: { hash: given, text: given, size: 0, usedAt: 0 } }], {
            site: 'request',
          });
          expect(await store.select('parts', { where: { hash: given } })).toMatchObject([{ text: kept }]);
          expect(await store.select('parts', { where: { hash: { in: [given] } } })).toMatchObject([{ text: kept }]);
          await store.commit([{ remove: 'parts', where: { hash: given }, expect: 1 }], { site: 'prune' });
        }
      });

      it('of many megabytes', async () => {
        const text = 'four bytes: 🙂 '.repeat(300_000);
        await store.commit([{ insert: 'transcript', row: entry({ message: user(text), shown: text }) }], accept);
        const [row] = await store.select('transcript');
        expect(row?.shown === text && row.message.content === text).toBe(true);
      });

      it('with the largest and the smallest whole numbers, and with fractions where time is measured', async () => {
        await insertInbox({ acceptedAt: Number.MAX_SAFE_INTEGER }, { acceptedAt: Number.MIN_SAFE_INTEGER });
        await store.commit([{ insert: 'hookRecords', row: { ...oneOfEach().hookRecords, ms: 0.125 } }], accept);
        const rows = await store.select('inbox', { orderBy: [['seq', 'asc']] });
        expect(rows.map(({ acceptedAt }) => acceptedAt)).toEqual([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);
        expect(await store.select('hookRecords')).toMatchObject([{ ms: 0.125 }]);
      });

      it('as they were when the commit was requested, even if the object changes afterwards', async () => {
        const meta = { mood: 'calm' };
        const made = store.commit([{ insert: 'transcript', row: entry({ meta }) }], accept);
        meta.mood = 'changed';
        await made;
        expect(await store.select('transcript')).toMatchObject([{ meta: { mood: 'calm' } }]);
      });

      it('for the next time it is opened', async () => {
        await insertInbox({ runId: 'a' }, { runId: 'b' });
        await store.close();
        store = await place.open();
        expect(await runIds({ orderBy: [['seq', 'asc']] })).toEqual(['a', 'b']);
        const { seqs } = await insertInbox({ runId: 'c' });
        expect(seqs[0]).toBeGreaterThan(2);
      });
    });

    describe('numbers rows', () => {
      it('in the order of insertion, and says which number each one got', async () => {
        const { seqs } = await insertInbox({ runId: 'a' }, { runId: 'b' });
        const later = await insertInbox({ runId: 'c' });
        const numbers = [...seqs, ...later.seqs].map(Number);
        expect(numbers).toEqual([...new Set(numbers)].sort((x, y) => x - y));
        const rows = await store.select('inbox', { orderBy: [['seq', 'asc']] });
        expect(rows.map(({ seq, runId }) => [seq, runId])).toEqual(numbers.map((seq, i) => [seq, 'abc'[i]]));
      });

      it('and never gives a number twice, even when its row is gone', async () => {
        const first = await insertInbox({ runId: 'a' });
        await store.commit([{ remove: 'inbox', where: {} }], { site: 'prune' });
        const second = await insertInbox({ runId: 'b' });
        expect(Number(second.seqs[0])).toBeGreaterThan(Number(first.seqs[0]));
      });

      it('of numbered tables only', async () => {
        const { seqs, changed } = await store.commit(
          [
            { insert: 'runs', row: run() },
            { insert: 'outbox', row: outbox() },
            { update: 'runs', where: { runId: 'run-1' }, set: { sessionId: 's' } },
          ],
          accept,
        );
        expect(seqs).toEqual([undefined, expect.any(Number), undefined]);
        expect(changed).toEqual([1, 1, 1]);
      });
    });

    describe('finds rows', () => {
      beforeEach(async () => {
        await insertInbox(
          { runId: 'a', status: 'queued', acceptedAt: 10, dedupeKey: 'x' },
          { runId: 'b', status: 'claimed', acceptedAt: 20, dedupeKey: null },
          { runId: 'c', status: 'queued', acceptedAt: 30, dedupeKey: 'z' },
          { runId: 'd', status: 'done', acceptedAt: 30, dedupeKey: null },
        );
      });

      const cases: [string, Where<'inbox'>, string][] = [
        ['all of them', {}, 'abcd'],
        ['by a value', { status: 'queued' }, 'ac'],
        ['by several values at once', { status: 'queued', acceptedAt: 30 }, 'c'],
        ['by null', { dedupeKey: null }, 'bd'],
        ['by anything but null', { dedupeKey: { not: null } }, 'ac'],
        ['by anything but a value, null included', { dedupeKey: { not: 'x' } }, 'bcd'],
        ['by a list', { status: { in: ['queued', 'done'] } }, 'acd'],
        ['by a list of numbers', { acceptedAt: { in: [10, 20, 99] } }, 'ab'],
        ['by an empty list, which is none', { status: { in: [] } }, ''],
        ['above a number', { acceptedAt: { gt: 20 } }, 'cd'],
        ['from a number on', { acceptedAt: { gte: 20 } }, 'bcd'],
        ['below a number', { acceptedAt: { lt: 20 } }, 'a'],
        ['up to a number', { acceptedAt: { lte: 20 } }, 'ab'],
        ['after a text, null excluded', { dedupeKey: { gt: 'x' } }, 'c'],
        ['before a text, null excluded', { dedupeKey: { lt: 'y' } }, 'a'],
        ['whose JSON is there or not', { payload: { not: null } }, 'abcd'],
        ['without regard to a condition that is undefined', { status: undefined, runId: 'a' }, 'a'],
      ];
      it.each(cases)('%s', async (_, where, expected) => {
        expect((await runIds({ where, orderBy: [['seq', 'asc']] })).join('')).toBe(expected);
        expect(await store.count('inbox', where)).toBe(expected.length);
      });

      it('and measures them: texts in UTF-8, numbers as 8 bytes, null as nothing', async () => {
        const rows = Array.from({ length: 5_100 }, (_, index) =>
          insert('parts', { hash: String(index).padStart(6, '0'), text: index === 0 ? 'äb' : 'four' }),
        );
        await store.commit(rows, accept);
        expect(await store.measure('parts', { hash: '000000' })).toBe(6 + 3 + 16);
        expect(await store.measure('parts')).toBe(5_100 * (6 + 4 + 16) - 1);
        expect(await store.measure('parts', { hash: 'none' })).toBe(0);
        expect(await store.measure('waits')).toBe(0);
        await insertRun({ runId: 'a', endedAt: null });
        const open = await store.measure('runs');
        await store.commit([{ update: 'runs', where: { runId: 'a' }, set: { endedAt: 1 } }], accept);
        expect(await store.measure('runs')).toBe(open + 8);
      });

      it('by yes and no', async () => {
        await insertRun({ runId: 'told', observed: true });
        await insertRun({ runId: 'untold', observed: false });
        expect(await store.select('runs', { where: { observed: false } })).toMatchObject([{ runId: 'untold' }]);
        expect(await store.select('runs', { where: { observed: true } })).toMatchObject([{ runId: 'told' }]);
      });

      it('by a list longer than most', async () => {
        const list = Array.from({ length: 40_000 }, (_, index) => `run-${index}`);
        expect(await runIds({ where: { runId: { in: [...list, 'c'] } } })).toEqual(['c']);
      });

      it('in the order that is asked for', async () => {
        const ordered = async (...orderBy: [keyof NewRow<'inbox'> | 'seq', 'asc' | 'desc'][]) =>
          (await runIds({ orderBy })).join('');
        expect(await ordered(['seq', 'desc'])).toBe('dcba');
        expect(await ordered(['acceptedAt', 'desc'], ['runId', 'asc'])).toBe('cdba');
        expect(await ordered(['dedupeKey', 'asc'], ['seq', 'asc'])).toBe('bdac');
        expect(await ordered(['dedupeKey', 'desc'], ['seq', 'asc'])).toBe('cabd');
      });

      it('and no more than the limit', async () => {
        expect(await runIds({ orderBy: [['seq', 'asc']], limit: 2 })).toEqual(['a', 'b']);
        expect(await runIds({ limit: 0 })).toEqual([]);
        expect(await runIds({ limit: 99 })).toHaveLength(4);
      });

      it('of texts in the order of their code points', async () => {
        const hashes = ['Z', 'a', 'é', '\uFFFD', '🙂', 'aa', ''];
        await store.commit(
          hashes.map((hash) => ({ insert: 'parts', row: { hash, text: '', size: 0, usedAt: 0 } })),
          accept,
        );
        const sorted = (await store.select('parts', { orderBy: [['hash', 'asc']] })).map(({ hash }) => hash);
        expect(sorted).toEqual(['', 'Z', 'a', 'aa', 'é', '\uFFFD', '🙂']);
      });
    });

    describe('changes rows', () => {
      it('and says how many', async () => {
        await insertInbox({ runId: 'a' }, { runId: 'b' }, { runId: 'c', status: 'done' });
        const { changed } = await store.commit(
          [
            { update: 'inbox', where: { status: 'queued' }, set: { status: 'claimed' } },
            { update: 'inbox', where: { runId: 'unknown' }, set: { status: 'claimed' } },
            { remove: 'inbox', where: { status: 'done' } },
          ],
          accept,
        );
        expect(changed).toEqual([2, 0, 1]);
        expect(await store.select('inbox', { orderBy: [['seq', 'asc']] })).toMatchObject([
          { runId: 'a', status: 'claimed' },
          { runId: 'b', status: 'claimed' },
        ]);
      });

      it('to null and back, JSON included', async () => {
        await insertInbox({ runId: 'a', dedupeKey: 'x' });
        const original = await store.select('inbox');
        const where = { runId: 'a' };
        await store.commit([{ update: 'inbox', where, set: { payload: null, dedupeKey: null } }], accept);
        expect(await store.select('inbox')).toMatchObject([{ payload: null, dedupeKey: null }]);
        await store.commit([{ update: 'inbox', where, set: { payload: inbox().payload, dedupeKey: 'x' } }], accept);
        expect(await store.select('inbox')).toEqual(original);
      });

      it('only when as many as expected are there', async () => {
        await insertInbox({ runId: 'a' }, { runId: 'b' });
        const refused: Write[] = [
          { update: 'inbox', where: { runId: 'a' }, set: { status: 'done' }, expect: 2 },
          { update: 'inbox', where: { runId: 'unknown' }, set: { status: 'done' }, expect: 1 },
          { remove: 'inbox', where: {}, expect: 1 },
          { remove: 'inbox', where: { runId: 'a' }, expect: 0 },
        ];
        for (const write of refused) {
          await expect(store.commit([write], accept)).rejects.toThrow(PreconditionFailedError);
        }
        expect(await store.count('inbox', { status: 'queued' })).toBe(2);
        await store.commit([{ update: 'inbox', where: {}, set: { status: 'done' }, expect: 2 }], accept);
        expect(await store.count('inbox', { status: 'done' })).toBe(2);
      });
    });

    describe('adds to numbers', () => {
      const where = { subject: 'all' };
      const spent = () => store.select('spending', { where });
      const add = (by: Add<'spending'>['by'], most?: number): Write => ({
        add: 'spending',
        where,
        by,
        ...(most === undefined ? {} : { ceilings: [{ of: ['money', 'reservedMoney'], most }] }),
        expect: 1,
      });

      beforeEach(async () => {
        await store.commit([insert('spending', { ...where, money: 5, reservedMoney: 2 })], accept);
      });

      it('whatever they are, and says how many rows it changed', async () => {
        const { changed, seqs } = await store.commit([add({ money: 3, reservedMoney: -2 }), add({ money: 1 })], accept);
        expect({ changed, seqs }).toEqual({ changed: [1, 1], seqs: [undefined, undefined] });
        expect(await spent()).toMatchObject([{ money: 9, reservedMoney: 0, tokens: 10 }]);
      });

      it('only where as many rows as expected match', async () => {
        const nowhere: Write = { add: 'spending', where: { subject: 'nobody' }, by: { money: 1 } };
        expect((await store.commit([nowhere], accept)).changed).toEqual([0]);
        await expect(store.commit([{ ...nowhere, expect: 1 }], accept)).rejects.toThrow(PreconditionFailedError);
      });

      it('up to a ceiling and not above it', async () => {
        await store.commit([add({ reservedMoney: 3 }, 10)], accept);
        const more = store.commit([insert('parts', { hash: 'half' }), add({ reservedMoney: 1 }, 10)], accept);
        await expect(more).rejects.toThrow(CeilingPassedError);
        expect(await spent()).toMatchObject([{ money: 5, reservedMoney: 5 }]);
        expect(await store.count('parts')).toBe(0);
        await store.commit([add({ reservedMoney: -2 }), add({ money: 2 }, 10)], accept);
        expect(await spent()).toMatchObject([{ money: 7, reservedMoney: 3 }]);
      });

      it('so that commits at the same time never pass it together', async () => {
        const outcomes = await Promise.allSettled(
          Array.from({ length: 50 }, () => store.commit([add({ reservedMoney: 4 }, 30)], accept)),
        );
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
        expect(await spent()).toMatchObject([{ money: 5, reservedMoney: 22 }]);
      });

      it('in every matching row or in none', async () => {
        await store.commit([insert('spending', { subject: 'other', money: 9, reservedMoney: 0 })], accept);
        const both: Write = { add: 'spending', where: {}, by: { money: 1 }, ceilings: [{ of: ['money'], most: 9 }] };
        await expect(store.commit([both], accept)).rejects.toThrow(CeilingPassedError);
        expect((await store.commit([{ ...both, ceilings: [{ of: ['money'], most: 10 }] }], accept)).changed).toEqual([
          2,
        ]);
      });
    });

    describe('keeps keys apart', () => {
      const taken: [string, Write, Write][] = [
        ['one session of an id', insert('sessions', { sessionKey: 'k1' }), insert('sessions', { sessionKey: 'k2' })],
        [
          'one open session of a session key',
          insert('sessions', { sessionId: 's1' }),
          insert('sessions', { sessionId: 's2' }),
        ],
        ['one transcript entry at a position', insert('transcript', {}), insert('transcript', { runId: 'other' })],
        ['one trigger of a dedupe key', insert('inbox', { dedupeKey: 'x' }), insert('inbox', { dedupeKey: 'x' })],
        ['one run of an id', insert('runs', {}), insert('runs', { sessionKey: 'other' })],
        ['one journal step at a position', insert('journal', {}), insert('journal', { kind: 'other' })],
        ['one part of an answer', insert('outbox', {}), insert('outbox', { text: 'other' })],
        ['one dead letter of an id', insert('deadLetters', {}), insert('deadLetters', { reason: 'other' })],
        ['one injection of an id', insert('injections', {}), insert('injections', { idempotencyKey: 'other' })],
        ['one injection of an idempotency key', insert('injections', {}), insert('injections', { id: 'other' })],
        ['one text of a hash', insert('parts', {}), insert('parts', { text: 'other' })],
        ['one capture of a call', insert('captures', {}), insert('captures', { model: 'other' })],
        ['one counter of a period', insert('spending', {}), insert('spending', { money: 7 })],
        ['one reservation of a run', insert('reservations', {}), insert('reservations', { model: 'other' })],
      ];
      it.each(taken)('%s', async (_, first, second) => {
        await store.commit([first], accept);
        const [table] = Object.values(first) as [TableName];
        const before = await store.select(table);
        await expect(store.commit([second], accept)).rejects.toThrow(PreconditionFailedError);
        const ignored = await store.commit([{ ...second, onConflict: 'ignore' } as Write], accept);
        expect(ignored).toEqual({ changed: [0], seqs: [undefined] });
        expect(await store.select(table)).toEqual(before);
      });

      const free: [string, Write, Write][] = [
        [
          'a session key once its session has ended',
          insert('sessions', { sessionId: 's1', endedAt: 5 }),
          insert('sessions', { sessionId: 's2' }),
        ],
        ['triggers without a dedupe key', insert('inbox', { dedupeKey: null }), insert('inbox', { dedupeKey: null })],
        ['several triggers of one run', insert('inbox', { dedupeKey: 'a' }), insert('inbox', { dedupeKey: 'b' })],
        [
          'injections without an idempotency key',
          insert('injections', { id: 'i1', idempotencyKey: null }),
          insert('injections', { id: 'i2', idempotencyKey: null }),
        ],
        [
          'an idempotency key of another owner',
          insert('injections', { id: 'i1', owner: 'a' }),
          insert('injections', { id: 'i2', owner: 'b' }),
        ],
      ];
      it.each(free)('but not %s', async (_, first, second) => {
        await store.commit([first, second], accept);
        const [table] = Object.values(first) as [TableName];
        expect(await store.count(table)).toBe(2);
      });

      it('when rows are changed, too', async () => {
        await store.commit(
          [
            { insert: 'sessions', row: session({ sessionId: 's1', endedAt: 5 }) },
            { insert: 'sessions', row: session({ sessionId: 's2' }) },
          ],
          accept,
        );
        const reopen: Write = { update: 'sessions', where: { sessionId: 's1' }, set: { endedAt: null } };
        await expect(store.commit([reopen], accept)).rejects.toThrow(PreconditionFailedError);
        const end: Write = { update: 'sessions', where: { sessionId: 's2' }, set: { endedAt: 9 } };
        await store.commit([end, reopen], accept);
      });
    });

    describe('checks claims', () => {
      const claim = { runId: 'run-1', claim: 2 };
      const attempt = (held: { runId: string; claim: number }) =>
        store.commit([{ insert: 'outbox', row: outbox() }], { site: 'result', claim: held });

      it.each(['running', 'suspended'] as const)('and lets the holder write while the run is %s', async (status) => {
        await insertRun({ claim: 2, status });
        await attempt(claim);
        expect(await store.count('outbox')).toBe(1);
      });

      it('and stops a holder that was superseded', async () => {
        await insertRun({ claim: 3 });
        await expect(attempt(claim)).rejects.toThrow(ClaimLostError);
        expect(await store.count('outbox')).toBe(0);
      });

      it.each(['done', 'failed', 'stopped', 'blocked'] as const)('and stops a run that is %s', async (status) => {
        await insertRun({ claim: 2, status });
        await expect(attempt(claim)).rejects.toThrow(ClaimLostError);
        expect(await store.count('outbox')).toBe(0);
      });

      it('and stops an unknown run, even from an empty commit', async () => {
        await expect(attempt(claim)).rejects.toThrow(ClaimLostError);
        await expect(store.commit([], { site: 'observed', claim })).rejects.toThrow(ClaimLostError);
        expect(await store.count('outbox')).toBe(0);
      });

      it('before the writes, so that a commit may end its own run', async () => {
        await insertRun({ claim: 2 });
        const end: Write = { update: 'runs', where: { runId: 'run-1' }, set: { status: 'done' }, expect: 1 };
        await store.commit([end, { insert: 'outbox', row: outbox() }], { site: 'result', claim });
        await expect(store.commit([], { site: 'observed', claim })).rejects.toThrow(ClaimLostError);
      });

      it('against commits that were asked for just before', async () => {
        await insertRun({ claim: 2 });
        const taken = store.commit([{ update: 'runs', where: { runId: 'run-1' }, set: { claim: 3 } }], {
          site: 'claim',
        });
        await expect(attempt(claim)).rejects.toThrow(ClaimLostError);
        await taken;
        expect(await store.count('outbox')).toBe(0);
      });
    });

    it('finds texts that have a text in them, with any characters, and without case only for plain letters', async () => {
      const texts = ['Never push to main.', 'say "no"\nthen 50%_ÉÄ', 'never', ''];
      await store.commit(
        texts.map((text, index): Write => insert('parts', { hash: String(index), text })),
        accept,
      );
      const find = async (contains: string, ignoresCase?: boolean) => {
        const rows = await store.select('parts', {
          where: { text: { contains, ignoresCase } },
          orderBy: [['hash', 'asc']],
        });
        return rows.map(({ hash }) => hash).join('');
      };
      expect(await find('push to')).toBe('0');
      expect(await find('never')).toBe('2');
      expect(await find('NEVER', true)).toBe('02');
      expect(await find('"no"\nthen')).toBe('1');
      expect(await find('0%_É')).toBe('1');
      expect(await find('SAY "NO"\nTHEN 50%_ÉÄ', true)).toBe('1');
      expect(await find('éä', true)).toBe('');
      expect(await find('%')).toBe('1');
      expect(await find('')).toBe('0123');
      await expect(store.select('parts', { where: { size: { contains: '1' } } })).rejects.toThrow(
        InvalidStoreRequestError,
      );
    });

    it('finds words by phrases, from the beginning of a word on, and forgets them with their row', async () => {
      const texts = ['a new york minute', 'york is new', 'in newer yorkshire', '東 京 都', 'yor', '42 öl'];
      const row = (index: number, words: string): Write =>
        insert('entryWords', { sessionId: 's', position: index, agentId: 'main', words });
      await store.commit(
        texts.map((words, index) => row(index, words)),
        accept,
      );
      const find = async (...phrases: string[]) => {
        const rows = await store.select('entryWords', {
          where: { words: { phrases } },
          orderBy: [['position', 'asc']],
        });
        return rows.map(({ position }) => position).join('');
      };
      expect(await find('new')).toBe('012');
      expect(await find('new yo')).toBe('0');
      expect(await find('york', 'new')).toBe('012');
      expect(await find('ork')).toBe('');
      expect(await find('京 都')).toBe('3');
      expect(await find('東 都')).toBe('');
      expect(await find('4', 'ö')).toBe('5');
      await store.commit([{ update: 'entryWords', where: { position: 1 }, set: { words: 'old' } }], accept);
      await store.commit([{ remove: 'entryWords', where: { position: 0 } }], accept);
      expect(await find('new')).toBe('2');
      expect(await find('old')).toBe('1');
      for (const phrase of ['', 'a "b"', 'NEAR(a b)', 'a  b', 'a*', '-a'])
        await expect(find(phrase), phrase).rejects.toThrow(InvalidStoreRequestError);
      await expect(find()).rejects.toThrow(InvalidStoreRequestError);
      const elsewhere = store.select('parts', { where: { text: { phrases: ['a'] } } });
      await expect(elsewhere).rejects.toThrow(InvalidStoreRequestError);
    });

    describe('makes commits', () => {
      it('whole or not at all', async () => {
        await insertInbox({ runId: 'a' });
        const writes: Write[] = [
          { insert: 'inbox', row: inbox({ runId: 'b' }) },
          { update: 'inbox', where: { runId: 'a' }, set: { status: 'done' } },
          { remove: 'inbox', where: { runId: 'a' } },
          { insert: 'runs', row: run() },
          { update: 'runs', where: { runId: 'unknown' }, set: { claim: 9 }, expect: 1 },
        ];
        await expect(store.commit(writes, accept)).rejects.toThrow(PreconditionFailedError);
        expect(await store.select('inbox')).toMatchObject([{ runId: 'a', status: 'queued' }]);
        expect(await store.count('runs')).toBe(0);
      });

      it('each on its own, even when they are asked for together', async () => {
        const outcomes = await Promise.allSettled([
          insertRun({ runId: 'a' }),
          store.commit([insert('parts', { hash: 'half' }), { insert: 'runs', row: run({ runId: 'a' }) }], accept),
          insertRun({ runId: 'b' }),
          store.commit([], { site: 'result', claim: { runId: 'unknown', claim: 1 } }),
          store.commit([{ update: 'runs', where: { runId: 'b' }, set: { claim: 7 }, expect: 1 }], accept),
        ]);
        expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, false, true]);
        expect(await store.select('runs', { orderBy: [['runId', 'asc']] })).toMatchObject([
          { runId: 'a', claim: 1 },
          { runId: 'b', claim: 7 },
        ]);
        expect(await store.count('parts')).toBe(0);
      });

      it('in the order in which they were asked for', async () => {
        const asked = Array.from({ length: 700 }, (_, index) => `run-${index}`);
        const results = await Promise.all(asked.map((runId) => insertInbox({ runId })));
        const numbers = results.map(({ seqs }) => Number(seqs[0]));
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
        expect(await runIds({ orderBy: [['seq', 'asc']] })).toEqual(asked);
      });

      it('and tells their callers in that order', async () => {
        const told: number[] = [];
        await Promise.all([0, 1, 2, 3].map((index) => insertInbox({}).then(() => told.push(index))));
        expect(told).toEqual([0, 1, 2, 3]);
      });

      it('so that a read sees all that were asked for before it', async () => {
        const lazy = insertInbox({ runId: 'a' });
        expect(await runIds({})).toEqual(['a']);
        const failing = store.commit([{ remove: 'inbox', where: {}, expect: 7 }], accept);
        const lazier = insertInbox({ runId: 'b' });
        const settled = Promise.allSettled([lazy, failing, lazier]);
        expect(await store.count('inbox')).toBe(2);
        expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      });

      it('lazy ones among the others', async () => {
        const lazily = { ...accept, lazy: true };
        const [first, second, third] = await Promise.all([
          store.commit([{ insert: 'inbox', row: inbox({ runId: 'a' }) }], lazily),
          insertInbox({ runId: 'b' }),
          store.commit([{ insert: 'inbox', row: inbox({ runId: 'c' }) }], lazily),
        ]);
        expect(third.seqs[0]).toBeGreaterThan(second.seqs[0] ?? 0);
        expect(second.seqs[0]).toBeGreaterThan(first.seqs[0] ?? 0);
        await store.close();
        store = await place.open();
        expect(await store.count('inbox')).toBe(3);
      });

      it('and counts those that were made, by site', async () => {
        expect(Object.keys(store.commits).sort()).toEqual([...COMMIT_SITES].sort());
        const { commits } = store;
        await insertRun();
        await insertRun().catch(() => {});
        await store.commit([], { site: 'observed' });
        expect(commits).toMatchObject({ accept: 1, observed: 1, result: 0 });
      });
    });

    describe('refuses what no table has', () => {
      const wrong: [string, unknown][] = [
        ['a table', { insert: 'secrets', row: {} }],
        ['a table that only JavaScript knows', { remove: 'constructor', where: {} }],
        ['a column to change', { update: 'runs', where: {}, set: { 'claim = 1 --': 1 } }],
        ['a column to ask for', { remove: 'runs', where: { '1 = 1 OR run_id': 'x' } }],
        ['a row without one of its columns', { insert: 'parts', row: { hash: 'h', text: 't', size: 1 } }],
        ['a number that is none', insert('parts', { size: Number.NaN })],
        ['a number that is not whole', insert('parts', { size: 1.5 })],
        ['a number too large to be exact', insert('parts', { size: 2 ** 60 })],
        ['a number for a text', { update: 'parts', where: {}, set: { text: 5 } }],
        ['null where there must be something', { update: 'parts', where: {}, set: { text: null } }],
        ['a change of nothing', { update: 'parts', where: {}, set: {} }],
        ['an addition of nothing', { add: 'spending', where: {}, by: {} }],
        ['an addition to a text', { add: 'spending', where: {}, by: { subject: 1 } }],
        ['an addition to what may be null', { add: 'spending', where: {}, by: { warnedAt: 1 } }],
        ['an addition of a part', { add: 'spending', where: {}, by: { money: 0.5 } }],
        ['an addition to a row number', { add: 'usage', where: {}, by: { seq: 1 } }],
        ['a ceiling of no column', { add: 'spending', where: {}, by: { money: 1 }, ceilings: [{ of: [], most: 1 }] }],
        ['a condition that is undefined', { remove: 'parts', where: { hash: undefined } }],
        ['a condition of no known form', { remove: 'parts', where: { hash: { like: '%' } } }],
        ['a condition on what is in JSON', { remove: 'runs', where: { outcome: 'x' } }],
        ['a value that JSON cannot say', { update: 'runs', where: {}, set: { outcome: () => 1 } }],
        ['a value that contains itself', { update: 'runs', where: {}, set: { outcome: selfContaining() } }],
      ];
      it.each(wrong)('%s', async (_, write) => {
        await store.commit([insert('parts', { hash: 'kept' })], accept);
        await expect(store.commit([write as Write], accept)).rejects.toThrow(InvalidStoreRequestError);
        expect(await store.count('parts')).toBe(1);
      });

      it('in a read, too', async () => {
        await expect(store.select('secrets' as TableName)).rejects.toThrow(InvalidStoreRequestError);
        await expect(store.select('runs', { limit: -1 })).rejects.toThrow(InvalidStoreRequestError);
        await expect(store.select('runs', { limit: 0.5 })).rejects.toThrow(InvalidStoreRequestError);
        const orderBy = [['run_id; --', 'asc']] as never;
        await expect(store.select('runs', { orderBy })).rejects.toThrow(InvalidStoreRequestError);
        await expect(store.count('runs', { nothing: 1 } as never)).rejects.toThrow(InvalidStoreRequestError);
        await expect(store.measure('runs', { nothing: 1 } as never)).rejects.toThrow(InvalidStoreRequestError);
      });
    });

    describe('when it is closed', () => {
      it('answers nothing any more', async () => {
        await store.close();
        await expect(insertRun()).rejects.toThrow(StoreClosedError);
        await expect(store.select('runs')).rejects.toThrow(StoreClosedError);
        await expect(store.count('runs')).rejects.toThrow(StoreClosedError);
        await expect(store.measure('runs')).rejects.toThrow(StoreClosedError);
        await store.close();
      });

      it('has made what was asked for before', async () => {
        const asked = Array.from({ length: 300 }, (_, index) => insertInbox({ runId: `run-${index}` }));
        const seen = store.count('inbox');
        const closed = store.close();
        await Promise.all(asked);
        expect(await seen).toBe(300);
        await closed;
        store = await place.open();
        expect(await store.count('inbox')).toBe(300);
      });
    });

    it('does what its model does, for any requests', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(commitArbitrary, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
          queries,
          async (rounds, asked) => {
            for (const table of MODELLED) await store.commit([{ remove: table, where: {} }], { site: 'prune' });
            const model = new StoreModel();
            for (const round of rounds) {
              const outcomes = await Promise.allSettled(
                round.map(({ writes, options }) => store.commit(writes, options)),
              );
              round.forEach(({ writes, options }, index) => {
                compareOutcome(outcomes[index], (numbers) => model.commit(writes, options, numbers));
              });
              for (const table of MODELLED) {
                expect(byKeyOrder(await store.select(table))).toEqual(byKeyOrder(model.select(table)));
              }
            }
            for (const { where, orderBy, limit } of asked) {
              const query = { where, orderBy: [...orderBy, ['seq', 'asc'] as const], limit };
              expect(await store.select('inbox', query)).toEqual(model.select('inbox', query));
              expect(await store.count('inbox', where)).toBe(model.select('inbox', { where }).length);
            }
          },
        ),
        { numRuns: 60 },
      );
    });
  });
}

/** The outcome of a commit must be the same as the model's: the same number of changed rows, or the same error. */
function compareOutcome(
  outcome: PromiseSettledResult<CommitResult> | undefined,
  commitToModel: (numbers: readonly (number | undefined)[]) => number[],
): void {
  let expected: unknown;
  try {
    expected = commitToModel(outcome?.status === 'fulfilled' ? outcome.value.seqs : []);
  } catch (error) {
    expected = (error as Error).name;
  }
  expect(outcome?.status === 'fulfilled' ? outcome.value.changed : outcome?.reason.name).toEqual(expected);
}

const MODELLED = ['sessions', 'inbox', 'runs'] as const;
const NUMBERED: ReadonlySet<string> = new Set([
  'fileVersions',
  'entryWords',
  'inbox',
  'outbox',
  'injections',
  'hookRecords',
  'approvals',
  'jobSlots',
  'usage',
  'children',
  'promptPieces',
  'promptReceipts',
]);

const key = fc.constantFrom('a', 'b', 'B', 'é', '🙂', '');
const time = fc.constantFrom(0, 1, 2, -5);
const inboxStatus = fc.constantFrom('queued' as const, 'claimed' as const);
const runStatus = fc.constantFrom('running' as const, 'suspended' as const, 'done' as const);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

function conditions(value: fc.Arbitrary<string | number>): fc.Arbitrary<Condition | undefined> {
  return fc.oneof(
    value,
    fc.constant(null),
    fc.constant(undefined),
    fc.record({ in: fc.array(value, { maxLength: 3 }) }),
    fc.record({ not: maybe(value) }),
    fc.record({ gt: value }),
    fc.record({ gte: value }),
    fc.record({ lt: value }),
    fc.record({ lte: value }),
  );
}

/** The same for texts, which can also be searched. */
const textConditions = fc.oneof(
  { weight: 3, arbitrary: conditions(fc.constantFrom('a', 'b', 'B', 'é', '🙂', '')) },
  {
    weight: 1,
    arbitrary: fc.record({ contains: fc.constantFrom('a', 'b', 'B', 'É', '🙂', ''), ignoresCase: fc.boolean() }),
  },
);

const asked: { readonly [C in keyof Where<'inbox'>]: fc.Arbitrary<Condition | undefined> } = {
  runId: textConditions,
  dedupeKey: textConditions,
  acceptedAt: conditions(time),
  status: conditions(inboxStatus),
};

const queries = fc.array(
  fc.record({
    where: fc.record(asked, { requiredKeys: [] }) as fc.Arbitrary<Where<'inbox'>>,
    orderBy: fc.array(
      fc.tuple(
        fc.constantFrom('runId' as const, 'dedupeKey' as const, 'acceptedAt' as const),
        fc.constantFrom('asc' as const, 'desc' as const),
      ),
      { maxLength: 2 },
    ),
    limit: fc.option(fc.nat(5), { nil: undefined }),
  }),
  { maxLength: 6 },
);

const onConflict = fc.constantFrom('fail' as const, 'ignore' as const, undefined);
const expectation = fc.option(fc.nat(2), { nil: undefined, freq: 3 });
const defined = (value: fc.Arbitrary<string | number>) =>
  conditions(value).filter((condition) => condition !== undefined) as fc.Arbitrary<Condition>;

const writeArbitrary: fc.Arbitrary<Write> = fc.oneof(
  fc.record({
    insert: fc.constant('inbox' as const),
    row: fc.record({ runId: key, dedupeKey: maybe(key), acceptedAt: time, status: inboxStatus }).map(inbox),
    onConflict,
  }),
  fc.record({
    insert: fc.constant('runs' as const),
    row: fc.record({ runId: key, claim: fc.nat(2), status: runStatus, observed: fc.boolean() }).map(run),
    onConflict,
  }),
  fc.record({
    insert: fc.constant('sessions' as const),
    row: fc.record({ sessionId: key, sessionKey: key, endedAt: maybe(time) }).map(session),
    onConflict,
  }),
  fc.record({
    update: fc.constant('inbox' as const),
    where: fc.record({ runId: defined(key), status: defined(inboxStatus) }, { requiredKeys: [] }),
    set: fc
      .record({ dedupeKey: maybe(key), status: inboxStatus }, { requiredKeys: [] })
      .map((set) => ({ acceptedAt: 1, ...set })),
    expect: expectation,
  }),
  fc.record({
    update: fc.constant('runs' as const),
    where: fc.record({ runId: defined(key), observed: fc.boolean() }, { requiredKeys: [] }),
    set: fc.record({ claim: fc.nat(2), status: runStatus }),
    expect: expectation,
  }),
  fc.record({
    update: fc.constant('sessions' as const),
    where: fc.record({ sessionKey: defined(key), endedAt: defined(time) }, { requiredKeys: [] }),
    set: fc.record({ endedAt: maybe(time) }),
    expect: expectation,
  }),
  fc.record({
    add: fc.constant('runs' as const),
    where: fc.record({ runId: defined(key), observed: fc.boolean() }, { requiredKeys: [] }),
    by: fc.record({ claim: fc.integer({ min: -1, max: 2 }), startedAt: fc.nat(2) }),
    ceilings: fc.option(
      fc.array(
        fc.record({ of: fc.constantFrom(['claim'] as const, ['claim', 'startedAt'] as const), most: fc.nat(6) }),
        { maxLength: 2 },
      ),
      { nil: undefined },
    ),
    expect: expectation,
  }),
  fc.record({
    remove: fc.constantFrom(...MODELLED),
    where: fc.constant({}),
    expect: fc.constant(0),
  }),
  fc.record({
    remove: fc.constant('inbox' as const),
    where: fc.record({ dedupeKey: defined(key), acceptedAt: defined(time) }),
    expect: expectation,
  }),
);

const commitArbitrary: fc.Arbitrary<{ readonly writes: readonly Write[]; readonly options: CommitOptions }> = fc.record(
  {
    writes: fc.array(writeArbitrary, { maxLength: 3 }),
    options: fc.record({
      site: fc.constantFrom(...COMMIT_SITES),
      claim: fc.option(fc.record({ runId: key, claim: fc.nat(2) }), { nil: undefined, freq: 3 }),
    }),
  },
);

/** Rows are sorted by their keys, because neither side promises an order unless one is requested. */
function byKeyOrder(rows: readonly object[]): readonly object[] {
  const keyOf = ({ seq, sessionId, runId }: { seq?: number; sessionId?: string; runId?: string }) =>
    JSON.stringify([seq, sessionId, runId]);
  return [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function insert<T extends TableName>(table: T, row: Partial<NewRow<T>>): Write {
  return { insert: table, row: { ...oneOfEach()[table], ...row } } as unknown as Write;
}

function inbox(row: Partial<NewRow<'inbox'>> = {}): NewRow<'inbox'> {
  return { ...oneOfEach().inbox, dedupeKey: null, ...row };
}

function outbox(row: Partial<NewRow<'outbox'>> = {}): NewRow<'outbox'> {
  return { ...oneOfEach().outbox, ...row };
}

function run(row: Partial<NewRow<'runs'>> = {}): NewRow<'runs'> {
  return { ...oneOfEach().runs, ...row };
}

function session(row: Partial<NewRow<'sessions'>> = {}): NewRow<'sessions'> {
  return { ...oneOfEach().sessions, ...row };
}

function entry(row: Partial<NewRow<'transcript'>> = {}): NewRow<'transcript'> {
  return { ...oneOfEach().transcript, ...row };
}

function user(content: string): Message {
  return { role: 'user', content };
}

function selfContaining(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

function oneOfEach(): { readonly [T in TableName]: NewRow<T> } {
  const surface = { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'ana' } } as const;
  const sessionKey = 'agent:main:web:direct:ana';
  const ids = { runId: 'run-1', sessionKey };
  return {
    sessions: {
      sessionId: 'ses-1',
      sessionKey,
      agentId: 'main',
      startedAt: 1,
      activeAt: 2,
      endedAt: null,
      endReason: null,
      surface,
      resumedFrom: null,
      endToTell: false,
      title: null,
      archivedAt: null,
      seenAt: null,
      branchOf: null,
      branchAt: null,
      state: { mood: { calm: true } },
    },
    transcript: {
      sessionId: 'ses-1',
      position: 1,
      runId: 'run-1',
      at: 1,
      kind: 'message',
      message: user('hello'),
      shown: 'hello',
      meta: {},
    },
    inbox: {
      ...ids,
      kind: 'message',
      dedupeKey: '["web","default","event","1"]',
      fingerprint: 'f1',
      payload: { inbound: { surface, sender: { id: 'ana' }, text: 'hello', at: 1 }, agentId: 'main' },
      acceptedAt: 1,
      status: 'queued',
    },
    runs: {
      ...ids,
      agentId: 'main',
      sessionId: null,
      status: 'running',
      claim: 1,
      progressClaim: 0,
      startedAt: 1,
      endedAt: null,
      outcome: { reply: 'hello', modelCalls: 1 },
      observed: false,
      node: null,
      stopReason: null,
    },
    laneHolds: { id: 'hold-1', sessionKey, node: 'left#1' },
    journal: { runId: 'run-1', position: 1, kind: 'tool-start', at: 1, data: { calls: ['c1', 2, null] } },
    outbox: {
      ...ids,
      part: 0,
      surface,
      surfaceId: '["web","default","direct","ana"]',
      text: 'hello',
      options: { replyTo: '7' },
      status: 'queued',
      attempts: 0,
      nextAt: 1,
      createdAt: 1,
      expiresAt: 2,
      receipt: ['m1'],
      error: 'not yet',
    },
    deadLetters: { ...ids, id: 'dead-1', direction: 'out', reason: 'too old', createdAt: 1, payload: 'hello' },
    injections: {
      id: 'inj-1',
      owner: 'weather',
      sessionKey,
      idempotencyKey: 'today',
      placement: 'prepend',
      text: 'It rains.',
      createdAt: 1,
      expiresAt: 2,
      status: 'queued',
      runId: null,
    },
    parts: { hash: 'h1', text: 'hello', size: 5, usedAt: 1 },
    captures: {
      runId: 'run-1',
      call: 1,
      at: 1,
      provider: 'mirror',
      model: 'mirror',
      envelope: { url: 'http://127.0.0.1' },
      manifest: ['h1', 'h1'],
      size: 10,
      isIndexed: true,
    },
    promptPieces: {
      scope: 'agent:main:main',
      hash: 'h1',
      kind: 'prompt',
      text: 'hello',
      about: { where: 'messages' },
      usedAt: 1,
    },
    promptReceipts: {
      runId: 'run-1',
      sessionKey: 'agent:main:main',
      agentId: 'main',
      at: 1,
      sources: 1,
      pieces: '2 1',
    },
    hookRecords: {
      ...ids,
      hook: 'before_agent_run',
      handler: 'gate',
      owner: 'weather',
      at: 1,
      ms: 2,
      outcome: 'ok',
      error: null,
      changed: ['block'],
      diff: [{ field: 'block', after: 'true' }],
    },
    approvals: {
      ...ids,
      id: 'k3f9x2',
      agentId: 'main',
      toolCallId: 'c1',
      toolName: 'exec',
      params: { command: 'ls' },
      digest: 'd1',
      requester: { channel: 'web', sender: 'ana' },
      policyVersion: 'p1',
      contextHash: 'h1',
      askedBy: 'exec',
      title: 'Run a command',
      description: 'ls',
      severity: 'warning',
      allowedDecisions: ['allow-once', 'deny'],
      rule: { argv: ['ls'] },
      createdAt: 1,
      expiresAt: 2,
      timeoutBehavior: 'deny',
      status: 'answered',
      decision: 'allow-once',
      decidedAt: 2,
      decidedBy: 'web',
    },
    waits: {
      ...ids,
      place: '1.0',
      toolCallId: 'c1',
      awaited: ['agent:main:subagent:1'],
      isAnyEnough: false,
      createdAt: 1,
      expiresAt: 2,
      handed: { id: 'call_1_1_0', name: 'look_up', params: { word: 'ü' }, said: '' },
      given: { content: 'found' },
      status: 'cancelled',
      reason: 'a person said /stop',
    },
    allowRules: {
      id: 'rule-1',
      agentId: 'main',
      toolName: 'exec',
      argv: ['git', 'status'],
      cwd: '.',
      createdAt: 1,
      createdBy: 'web',
      approvalId: 'k3f9x2',
    },
    processes: {
      ...ids,
      id: 'proc-1',
      agentId: 'main',
      pid: 4711,
      pidToken: 't1',
      command: 'sleep 60',
      cwd: '/',
      outputFile: '/tmp/out',
      startedAt: 1,
      endedAt: 2,
      exitCode: 0,
      signal: 'SIGTERM',
      status: 'ended',
    },
    jobs: {
      id: 'job-1',
      name: 'morning',
      agentId: 'main',
      enabled: true,
      schedule: { kind: 'every', everyMs: 60_000 },
      message: 'Look around.',
      session: 'own',
      deliverTo: surface,
      model: 'fake/large',
      fallbacks: ['openai/gpt-5.4'],
      timeoutSeconds: 90,
      missed: 'skip',
      removeAfterRun: false,
      createdAt: 1,
      updatedAt: 2,
      createdBy: 'cli',
      nextAt: 3,
    },
    jobSlots: { jobId: 'job-1', slot: 60_000, at: 60_001, how: 'due', runId: 'run-1' },
    usage: {
      ...ids,
      sessionId: 'ses-1',
      agentId: 'main',
      at: 1,
      purpose: 'run',
      provider: 'mirror',
      model: 'mirror',
      input: 10,
      output: 2,
      cacheRead: 4,
      cacheWrite: 0,
      cost: 0.25,
    },
    spending: {
      subject: '[null,null,null]',
      per: 'day',
      period: '2026-05-01',
      since: 1,
      money: 250_000_000,
      tokens: 10,
      reservedMoney: 3,
      reservedTokens: 4,
      unpriced: 1,
      warnedAt: 2,
    },
    reservations: {
      runId: ids.runId,
      at: 1,
      provider: 'mirror',
      model: 'mirror',
      money: 3,
      tokens: 4,
      isUnpriced: false,
      counters: [{ subject: '[null,null,null]', per: 'day', period: '2026-05-01' }],
    },
    toolListings: { server: 'files', fingerprint: 'f1', tools: [{ name: 'read_file' }], listedAt: 1 },
    pluginState: {
      sessionKey: 'agent:main:main',
      pluginId: 'board',
      namespace: 'cards',
      value: { open: [1, null] },
      updatedAt: 1,
    },
    children: {
      childKey: 'agent:main:subagent:1',
      parentKey: 'agent:main:main',
      parentSessionId: 'ses-1',
      parentAgentId: 'main',
      parentRunId: 'run-1',
      call: 'call-1',
      agentId: 'main',
      runId: 'run-2',
      depth: 1,
      mode: 'run',
      context: 'isolated',
      task: 'Count the files.',
      taskName: 'count_files',
      label: 'Counting',
      models: ['mirror/mirror'],
      tools: ['read'],
      origin: surface,
      boundTo: { ...surface, threadId: 'thread-1' },
      boundId: 'place-1',
      owes: true,
      cleanup: 'keep',
      runTimeoutMs: 60_000,
      createdAt: 1,
      ending: 'killed',
      endedAt: 2,
      outcome: 'ok',
      result: 'Seven.',
      error: 'none',
      isAnswered: false,
    },
    pairings: {
      channel: 'chat',
      accountId: 'default',
      senderId: ids.runId,
      senderName: 'Ada',
      surface,
      code: 'ABCD2345',
      status: 'waiting',
      requestedAt: 1,
      expiresAt: 2,
      timesTold: 1,
      approvedAt: 3,
      approvedBy: 'cli',
    },
    channelMemory: { channel: 'chat', accountId: 'default', name: ids.runId, value: { seq: 7 }, at: 1 },
    entryWords: { sessionId: ids.runId, position: 1, agentId: 'main', at: 1, words: 'what was said' },
    entriesToIndex: { sessionId: ids.runId, position: 1 },
    fileVersions: { agentId: 'main', name: ids.runId, at: 1, author: 'web', text: 'Be kind.', hash: 'a1' },
    drafts: { runId: ids.runId, surface, handle: { draftId: 'm1' }, shownAt: 1 },
    uploads: {
      id: `upload_${'b'.repeat(32)}`,
      hash: 'a'.repeat(64),
      name: 'photo.png',
      mime: 'image/png',
      size: 70,
      at: 1,
      usedBy: null,
    },
    attachments: {
      ...ids,
      hash: 'a'.repeat(64),
      name: 'photo.png',
      mime: 'image/png',
      size: 68,
      at: 1,
    },
  };
}
