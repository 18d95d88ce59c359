import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findPostgres, type PostgresServer, startPostgres } from '../../testkit/postgres-server.ts';
import { StoreFailedError } from '../errors.ts';
import { compileWrite } from '../sql/compile-write.ts';
import type { NewRow, Store } from '../store.ts';
import { CommitQueue } from './commit-queue.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import {
  ConnectionLostError,
  type HeldConnection,
  PostgresConnection,
  type PostgresStatement,
  type SqlAnswer,
} from './postgres-connection.ts';
import { POSTGRES } from './postgres-dialect.ts';

const programs = await findPostgres();
const accept = { site: 'accept' } as const;
const SESSION = 'agent:main:web:direct:ana';

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!programs)('a store in Postgres whose connection breaks', () => {
  let server: PostgresServer;
  let store: Store;

  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
  });
  afterAll(() => server.destroy());
  beforeEach(async () => {
    store = await openPostgresStore({ url: server.url, waitMs: 60_000 });
  });
  afterEach(() => store.close());

  it('makes every commit exactly once, although the server is killed again and again', async () => {
    const made: string[] = [];
    let isOver = false;
    const writer = (async () => {
      for (let index = 0; !isOver; index += 1) {
        const runId = `killed-${index}`;
        await store.commit([{ insert: 'inbox', row: message(runId) }], accept);
        made.push(runId);
      }
    })();
    for (let round = 0; round < 4; round += 1) {
      const before = made.length;
      await expect.poll(() => made.length).toBeGreaterThan(before + 5);
      await server.restart();
    }
    isOver = true;
    await writer;
    const rows = await store.select('inbox', { where: { sessionKey: SESSION }, orderBy: [['seq', 'asc']] });
    expect(rows.map(({ runId }) => runId)).toEqual(made);
  });

  it('keeps every commit that was made, lazy ones too, on a server that is told not to wait for its disk', async () => {
    const setting = new PostgresConnection({ url: server.url, schema: 'atrium', name: 'setting', waitMs: 5_000 });
    await setting.ask({ sql: 'ALTER USER atrium SET synchronous_commit = off', values: [] });
    const hasty = await openPostgresStore({ url: server.url, schema: 'hasty', waitMs: 60_000 });
    for (let index = 0; index < 20; index += 1) {
      const row = message(`hasty-${index}`);
      await hasty.commit([{ insert: 'inbox', row }], { ...accept, lazy: index > 0 });
    }
    await server.restart();
    expect(await hasty.count('inbox')).toBe(20);
    await setting.ask({ sql: 'ALTER USER atrium RESET synchronous_commit', values: [] });
    await setting.close();
    await hasty.close();
  });

  it('makes a commit again that a crash took back, although another transaction got its number', async () => {
    const settings = { url: server.url, schema: 'atrium', name: 'crashing', waitMs: 5_000 };
    const connection = new CrashingConnection(settings);
    const queue = new CommitQueue(connection, { store: 'test', schema: 'atrium', member: undefined, waitMs: 5_000 });
    const commit = (runId: string) =>
      queue.add({
        writes: [compileWrite(POSTGRES, { insert: 'inbox', row: message(runId) })],
        ordered: [],
      });
    await commit('before-crash');
    connection.crashesNext = true;
    await commit('in-crash');
    expect(connection.crashesNext).toBe(false);
    await connection.close();
    expect(await store.count('inbox', { runId: { in: ['before-crash', 'in-crash'] } })).toBe(2);
  });

  it('says what became of a commit when only the connection is cut', async () => {
    const other = new PostgresConnection({ url: server.url, schema: 'atrium', name: 'cutter', waitMs: 5_000 });
    const cut = () =>
      other.ask({
        sql: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'atrium %'",
        values: [],
      });
    for (let index = 0; index < 30; index += 1) {
      const commits = Array.from({ length: 5 }, (_, part) =>
        store.commit([{ insert: 'inbox', row: message(`cut-${index}-${part}`) }], accept),
      );
      await cut();
      await Promise.all(commits);
    }
    await other.close();
    expect(await store.count('inbox', { runId: { in: allOf(30, 5) } })).toBe(150);
  });

  it('waits for a server that comes back, and rejects with a sentence when it does not', async () => {
    const impatient = await openPostgresStore({ url: server.url, waitMs: 200 });
    await server.stop();
    const waiting = store.commit([{ insert: 'inbox', row: message('waited') }], accept);
    const refused = impatient.commit([{ insert: 'inbox', row: message('refused') }], accept);
    await expect(refused).rejects.toThrow(StoreFailedError);
    await expect(refused).rejects.toThrow(/cannot be reached.*A gateway that runs goes on by itself/);
    await server.start();
    await waiting;
    expect(await store.count('inbox', { runId: { in: ['waited', 'refused'] } })).toBe(1);
    await impatient.close();
  });

  it('never shows a lower number of a session after a higher one, whoever writes', async () => {
    const nodes = await Promise.all(Array.from({ length: 3 }, () => openPostgresStore({ url: server.url })));
    const seen: number[] = [];
    let isOver = false;
    const reader = (async () => {
      while (!isOver) {
        const last = seen.at(-1) ?? 0;
        const where = { sessionKey: 'agent:main:order', seq: { gt: last } };
        const rows = await store.select('inbox', { where, orderBy: [['seq', 'asc']] });
        seen.push(...rows.map(({ seq }) => seq));
      }
    })();
    await Promise.all(
      nodes.map(async (node, index) => {
        for (let count = 0; count < 40; count += 1) {
          const row = { ...message(`order-${index}-${count}`), sessionKey: 'agent:main:order' };
          await node.commit([{ insert: 'inbox', row }], accept);
        }
      }),
    );
    const all = await store.select('inbox', { where: { sessionKey: 'agent:main:order' }, orderBy: [['seq', 'asc']] });
    await expect.poll(() => seen.length).toBe(120);
    isOver = true;
    await reader;
    // A number that had appeared later than a higher one would be missing here.
    expect(seen).toEqual(all.map(({ seq }) => seq));
    await Promise.all(nodes.map((node) => node.close()));
  });
});

/**
 * Like a server that crashes at COMMIT and comes back: the transaction is gone, and its number, which nothing on the disk
 * remembers, belongs to another transaction that was committed.
 */
class CrashingConnection extends PostgresConnection {
  crashesNext = false;

  override async hold(): Promise<HeldConnection> {
    const held = await super.hold();
    return {
      ask: async (statement) => {
        if (!this.crashesNext || statement.sql !== 'COMMIT') return held.ask(statement);
        this.crashesNext = false;
        await held.ask({ sql: 'ROLLBACK', values: [] });
        throw new ConnectionLostError('the server crashed');
      },
    };
  }

  override async ask(statement: PostgresStatement): Promise<SqlAnswer> {
    if (statement.sql.includes('pg_xact_status')) return { rows: [['committed']], count: 1 };
    return super.ask(statement);
  }
}

function message(runId: string): NewRow<'inbox'> {
  return {
    runId,
    sessionKey: SESSION,
    kind: 'message',
    dedupeKey: runId,
    fingerprint: null,
    payload: null,
    acceptedAt: 1,
    status: 'queued',
  };
}

function allOf(rounds: number, parts: number): readonly string[] {
  return Array.from({ length: rounds * parts }, (_, index) => `cut-${Math.floor(index / parts)}-${index % parts}`);
}
