import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StorePlace } from '../../protocol/store-place.ts';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../../testkit/postgres-server.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { hashOf } from '../blobs/blob-store.ts';
import { openBlobs } from '../blobs/open-blobs.ts';
import { StoreMoveUnfinishedError, StoreNotEmptyError, StoreSamePlaceError } from '../errors.ts';
import { openStore } from '../open-store.ts';
import { PostgresConnection } from '../postgres/postgres-connection.ts';
import { TABLES } from '../sql/columns.ts';
import { codecOf } from '../sql/row-codec.ts';
import type { Write } from '../store.ts';
import { STORE_KEYS } from '../store-model.ts';
import type { TableName } from '../tables.ts';
import { MOVED_TABLES, type MoveStep, moveStore } from './move-store.ts';
import { openSide } from './open-side.ts';

const programs = await findPostgres();
const site = { site: 'import' } as const;

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!programs)('a store that is moved', () => {
  let server: PostgresServer;
  let admin: PostgresConnection;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres(programs ?? '', { syncs: false });
    admin = new PostgresConnection({ url: server.url, schema: 'public', name: 'test', waitMs: 30_000 });
  });
  afterAll(async () => {
    await admin.close();
    await server.destroy();
  });

  const newSchema = (): StorePlace => ({ kind: 'postgres', url: server.url, schema: `move_${++schemas}` });
  const newFile = async (): Promise<StorePlace> => ({ kind: 'sqlite', file: join(await folderForTest(), 'atrium.db') });
  const blobsOf = (place: StorePlace): BlobStore => {
    const dir = place.kind === 'sqlite' ? `${place.file}-files` : '/nowhere';
    return openBlobs(place, { dir, makeDir: async (path) => void (await mkdir(path, { recursive: true })) });
  };

  async function move(from: StorePlace, to: StorePlace, progress: (step: MoveStep) => void = () => undefined) {
    const opened = [await openSide(from, 'read'), await openSide(to, 'fill').catch((error) => error)] as const;
    const [source, target] = opened;
    if (target instanceof Error) {
      await source.close();
      throw target;
    }
    const [fromBlobs, toBlobs] = [blobsOf(from), blobsOf(to)];
    try {
      return await moveStore({ from: source, to: target, fromBlobs, toBlobs, remedy: 'Use another.', progress });
    } finally {
      for (const each of [fromBlobs, toBlobs, source, target]) await each.close();
    }
  }

  async function write(place: StorePlace, writes: readonly Write[]) {
    const store = await openStore(place);
    for (let at = 0; at < writes.length; at += 500) await store.commit(writes.slice(at, at + 500), site);
    await store.close();
  }

  async function everythingIn(place: StorePlace) {
    const store = await openStore(place);
    const all: Record<string, unknown> = {};
    for (const table of MOVED_TABLES) {
      const orderBy = (STORE_KEYS[table][0]?.fields ?? []).map((field) => [field, 'asc'] as const);
      all[table] = await store.select(table, { orderBy: orderBy as never });
    }
    await store.close();
    return all;
  }

  const session = (index: number): Write => ({
    insert: 'inbox',
    row: {
      runId: `run_${index}`,
      sessionKey: 'agent:main:a',
      kind: 'message',
      dedupeKey: `key ${index}`,
      fingerprint: null,
      payload: null,
      acceptedAt: index,
      status: 'done',
    },
  });

  it('has the same rows in every table there, and back again, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows(), async (writes) => {
        const [first, database, last] = [await newFile(), newSchema(), await newFile()];
        await write(first, writes);
        const before = await everythingIn(first);
        const there = await move(first, database);
        expect(await everythingIn(database)).toEqual(before);
        const back = await move(database, last);
        expect(await everythingIn(last)).toEqual(before);
        expect(back.tables).toEqual(there.tables);
        expect(await everythingIn(first)).toEqual(before);
      }),
      { numRuns: 6 },
    );
  }, 120_000);

  it('numbers its next rows behind the highest number that was ever given, on both ways', async () => {
    let place = await newFile();
    await write(place, [1, 2, 3, 4].map(session));
    await write(place, [{ remove: 'inbox', where: { seq: { gte: 3 } } }]);
    const others = [newSchema(), await newFile(), newSchema()];
    for (const [index, other] of others.entries()) {
      await move(place, other);
      const store = await openStore(other);
      expect((await store.select('inbox', { orderBy: [['seq', 'asc']] })).map(({ seq }) => seq)).toEqual([
        1,
        2,
        ...Array.from({ length: index }, (_, each) => 5 + each),
      ]);
      expect((await store.commit([session(10 + index)], site)).seqs).toEqual([5 + index]);
      await store.close();
      place = other;
    }
  });

  it('has many rows, and long ones, in pages', async () => {
    const [file, database] = [await newFile(), newSchema()];
    const long = 'x'.repeat(3 * 1024 * 1024);
    const parts = Array.from(
      { length: 5 },
      (_, index): Write => ({
        insert: 'parts',
        row: { hash: `h${index}`, text: `${index}${long}`, size: long.length, usedAt: 1 },
      }),
    );
    await write(file, [...parts, ...Array.from({ length: 5_001 }, (_, index) => session(index))]);
    const steps: MoveStep[] = [];
    await move(file, database, (step) => void steps.push(step));
    expect(await everythingIn(database)).toEqual(await everythingIn(file));
    const pages = (what: string) => steps.filter((step) => step.doing === 'moving' && step.what === what).length - 1;
    expect(pages('inbox')).toBe(3);
    expect(pages('parts')).toBe(3);
    expect(Math.max(...steps.map(({ done }) => done))).toBe(steps[0]?.all);
  });

  it('brings the bytes of its files, with their times, and says which were damaged', async () => {
    const [file, database, last] = [await newFile(), newSchema(), await newFile()];
    await write(file, [session(1)]);
    const bytes = [Buffer.from('one'), Buffer.alloc(3_000_000, 'two')];
    const source = blobsOf(file);
    for (const each of bytes) await source.put(hashOf(each), each, 5_000);
    const { writeFile } = await import('node:fs/promises');
    await writeFile(`${(file as { file: string }).file}-files/${'d'.repeat(64)}`, 'damaged');
    const report = await move(file, database);
    expect(report.files).toEqual({ moved: 2, damaged: ['d'.repeat(64)] });
    await move(database, last);
    const there = blobsOf(last);
    for (const each of bytes) expect((await there.read(hashOf(each)))?.equals(each)).toBe(true);
    for await (const { putAt } of there.list()) expect(putAt).toBe(5_000);
  });

  it.each([
    'postgres',
    'sqlite',
  ] as const)('is refused by a %s store that has rows, or that another move fills', async (kind) => {
    const [file, other, full] = [await newFile(), await newFile(), kind === 'postgres' ? newSchema() : await newFile()];
    await write(file, [session(1)]);
    await write(other, [session(1)]);
    await write(full, [session(1)]);
    await expect(move(file, full)).rejects.toThrow(StoreNotEmptyError);
    await expect(move(file, full)).rejects.toThrow(/has 1 row that no move from here has brought.*Use another\./);
    const begun = kind === 'postgres' ? newSchema() : await newFile();
    await expect(
      move(file, begun, ({ doing }) => {
        if (doing === 'checking') throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    await expect(move(other, begun)).rejects.toThrow(StoreNotEmptyError);
    await expect(openStore(begun)).rejects.toThrow(StoreMoveUnfinishedError);
    await expect(openStore(begun, { readOnly: true })).rejects.toThrow(/Run the same command again/);
    await move(file, begun);
    await (await openStore(begun)).close();
    await expect(move(file, file)).rejects.toThrow(StoreSamePlaceError);
  });

  it('is whole although the move was interrupted at every page, and the old store was used in between', async () => {
    const [file, database] = [await newFile(), newSchema()];
    await write(
      file,
      Array.from({ length: 6_500 }, (_, index) => session(index)),
    );
    for (let stopAt = 1; ; stopAt += 1) {
      let pages = 0;
      const stopped = await move(file, database, ({ what }) => {
        pages += what === 'inbox' ? 1 : 0;
        if (what === 'inbox' && pages === 2) throw new Error('killed');
      }).then(
        () => false,
        (error: Error) => error.message === 'killed',
      );
      if (!stopped) throw new Error('The move was not interrupted.');
      if (stopAt === 3) break;
    }
    // A row that was moved already changes, one comes and one goes.
    await write(file, [
      { update: 'inbox', where: { seq: 1 }, set: { status: 'dead' } },
      { remove: 'inbox', where: { seq: 2 } },
      session(7_000),
    ]);
    await move(file, database);
    expect(await everythingIn(database)).toEqual(await everythingIn(file));
  });

  it('is whole although the server is restarted and the connections are cut', async () => {
    const [file, database] = [await newFile(), newSchema()];
    await write(
      file,
      Array.from({ length: 12_000 }, (_, index) => session(index)),
    );
    let restarting: Promise<void> | undefined;
    let cuts = 0;
    await move(file, database, ({ what, done }) => {
      if (what === 'inbox' && done > 3_000) restarting ??= server.restart();
      if (what === 'inbox' && done > 8_000 && cuts++ < 2)
        void admin
          .ask({
            sql: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atrium move'",
            values: [],
          })
          .catch(() => undefined);
    });
    await restarting;
    expect(await everythingIn(database)).toEqual(await everythingIn(file));
  });
});

/** Some rows in some tables, with values of the kinds that the columns have. */
function anyRows(): fc.Arbitrary<readonly Write[]> {
  return fc
    .tuple(
      ...MOVED_TABLES.map((table) =>
        fc
          .array(anyRow(table), { maxLength: 3 })
          .map((rows) => rows.map((row, index): Write => ({ insert: table, row: unique(table, row, index) }) as Write)),
      ),
    )
    .map((all) => all.flat());
}

function anyRow(table: TableName): fc.Arbitrary<Record<string, unknown>> {
  const values = Object.fromEntries(
    codecOf(table).inserted.map(({ field, kind, isNullable }) => {
      const value: fc.Arbitrary<unknown> = {
        text: fc.string({ unit: 'binary', maxLength: 20 }),
        integer: fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER }),
        real: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
        boolean: fc.boolean(),
        json: fc.jsonValue().map((json) => json ?? {}),
        seq: fc.constant(0),
      }[kind];
      return [field, isNullable ? fc.option(value) : value];
    }),
  );
  return fc.record(values);
}

/** The fields of keys are made different from row to row. */
function unique(table: TableName, row: Record<string, unknown>, index: number): Record<string, unknown> {
  const fields = new Set(STORE_KEYS[table].flatMap((key) => key.fields));
  const kinds: Readonly<Record<string, string>> = TABLES[table].columns;
  for (const field of fields) {
    if (row[field] === null || row[field] === undefined) continue;
    row[field] = kinds[field]?.startsWith('text') ? `${index} ${String(row[field])}` : index;
  }
  return row;
}
