import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CuttingProxy } from '../../testkit/cutting-proxy.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../../testkit/postgres-server.ts';
import { NodeExpelledError, StoreFailedError } from '../errors.ts';
import type { NewRow, Store } from '../store.ts';
import { openPostgresStore, type PostgresStoreOptions } from './open-postgres-store.ts';
import { PostgresConnection } from './postgres-connection.ts';

const programs = await findPostgres();
const accept = { site: 'accept' } as const;
const LOOK_MS = 200;

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!programs)('a store in Postgres that does not answer', () => {
  let server: PostgresServer;
  let proxy: CuttingProxy;
  let ids = 0;
  const opened: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    server = await startPostgres(programs ?? '', { syncs: false });
    proxy = await CuttingProxy.start(server.socket);
  });
  afterEach(async () => {
    proxy.resume();
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  afterAll(async () => {
    await proxy.close();
    await server.destroy();
  });

  async function open(options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
    const url = `postgres://atrium@127.0.0.1:${proxy.port}/postgres`;
    const store = await openPostgresStore({ url, waitMs: 30_000, lookMs: LOOK_MS, ...options });
    opened.push(store);
    return store;
  }
  function direct(): PostgresConnection {
    const made = new PostgresConnection({
      url: server.url,
      schema: 'atrium',
      name: 'tester',
      waitMs: 30_000,
      lookMs: LOOK_MS,
    });
    opened.push(made);
    return made;
  }
  const message = (sessionKey = 'agent:main:main') => {
    ids += 1;
    return rowOf(`run-${ids}`, sessionKey);
  };

  it('is asked over another connection when the one that it has hangs, and the commit is made once', async () => {
    const store = await open();
    for (let round = 0; round < 3; round += 1) {
      const row = message();
      const committing = store.commit([{ insert: 'inbox', row }], accept);
      proxy.stop();
      await committing;
      // What the transaction on the connection that hangs had locked is free, so the same session goes on at once.
      await store.commit([{ insert: 'inbox', row: message() }], accept);
      expect(await store.count('inbox', { runId: row.runId })).toBe(1);
    }
  });

  it('answers a read over another connection', async () => {
    const store = await open();
    const row = message();
    await store.commit([{ insert: 'inbox', row }], accept);
    await store.count('inbox');
    proxy.stop();
    expect(await store.count('inbox', { runId: row.runId })).toBe(1);
  });

  it('leaves a statement alone that the server works on', async () => {
    const connection = direct();
    const backend = async () => (await connection.ask({ sql: 'SELECT pg_backend_pid()', values: [] })).rows[0]?.[0];
    const before = await backend();
    await connection.ask({ sql: `SELECT pg_sleep(${(LOOK_MS * 6) / 1_000})`, values: [] });
    expect(await backend()).toBe(before);
  });

  it('refuses with a sentence when nothing is forwarded at all, and goes on when it is again', async () => {
    const store = await open({ waitMs: 1_000 });
    proxy.stop({ alsoNew: true });
    const row = message();
    const refused = store.commit([{ insert: 'inbox', row }], accept);
    const unread = store.count('inbox');
    await expect(refused).rejects.toThrow(StoreFailedError);
    await expect(refused).rejects.toThrow(/cannot be reached.*A gateway that runs goes on by itself/);
    await expect(unread).rejects.toThrow(/cannot be reached/);
    proxy.resume();
    await store.commit([{ insert: 'inbox', row }], accept);
    expect(await store.count('inbox', { runId: row.runId })).toBe(1);
  });

  it('refuses with a sentence what another program has locked for too long', async () => {
    const store = await open({ waitMs: 1_000 });
    const holder = direct();
    await holder.execute('BEGIN');
    await holder.execute('LOCK TABLE inbox IN ACCESS EXCLUSIVE MODE');
    const refused = store.commit([{ insert: 'inbox', row: message() }], accept);
    await expect(refused).rejects.toThrow(/another program has locked what this needs/);
    await expect(store.count('inbox')).rejects.toThrow(/another program has locked/);
    await holder.execute('ROLLBACK');
    await store.commit([{ insert: 'inbox', row: message() }], accept);
  });

  it('waits for a connection when the server has none left, and else says so', async () => {
    const patient = await open();
    const impatient = await open({ waitMs: 300 });
    const admin = direct();
    await admin.open();
    await admin.ask({
      sql: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name IN ('atrium commits', 'atrium reads')`,
      values: [],
    });
    // A user that is not a superuser gets none of the connections that the server reserves.
    await admin.execute('ALTER ROLE atrium CONNECTION LIMIT 1');
    await admin.execute('CREATE ROLE boss SUPERUSER LOGIN');
    await admin.execute('SET ROLE boss');
    try {
      await admin.execute('ALTER ROLE atrium NOSUPERUSER');
      const waiting = patient.commit([{ insert: 'inbox', row: message() }], accept);
      await expect(impatient.commit([{ insert: 'inbox', row: message() }], accept)).rejects.toThrow(
        /the server has no connection left/,
      );
      await admin.execute('ALTER ROLE atrium CONNECTION LIMIT -1');
      await waiting;
    } finally {
      await admin.execute('ALTER ROLE atrium SUPERUSER CONNECTION LIMIT -1');
    }
  });

  describe('while the node is no member', () => {
    const membership = () => {
      let go = () => {};
      const joined = new Promise<void>((resolve) => {
        go = resolve;
      });
      const member = {
        memberId: null as string | null,
        whileMember: (signal?: AbortSignal) =>
          Promise.race([
            joined,
            new Promise<void>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
          ]),
      };
      const join = async (id: string) => {
        const sql = `INSERT INTO nodes (id, name, number, version, tables, joined_at, status, lease_until, backend, workspaces)
          VALUES ($1, $1, 1, '1', 1, 0, 'up', now() + interval '1 hour', 0, '{}')`;
        await direct().ask({ sql, values: [id] });
        member.memberId = id;
        go();
      };
      return { member, join };
    };

    it('keeps what comes from outside until it is one, in order, and refuses at once what a member had begun', async () => {
      const { member, join } = membership();
      const store = await open({ member });
      const [first, second] = [message('agent:main:waits'), message('agent:main:waits')];
      const waiting = store.commit([{ insert: 'inbox', row: first }], { ...accept, waits: true });
      await expect(store.commit([{ insert: 'inbox', row: message() }], accept)).rejects.toThrow(NodeExpelledError);
      await join('waits#1');
      await Promise.all([waiting, store.commit([{ insert: 'inbox', row: second }], accept)]);
      const rows = await store.select('inbox', {
        where: { sessionKey: 'agent:main:waits' },
        orderBy: [['seq', 'asc']],
      });
      expect(rows.map(({ runId }) => runId)).toEqual([first.runId, second.runId]);
    });

    it('makes a message for the new member when the old one is expelled meanwhile', async () => {
      const { member, join } = membership();
      const store = await open({ member });
      await join('later#2');
      // As the node knows itself until it has looked.
      member.memberId = 'former#1';
      const committing = store.commit([{ insert: 'inbox', row: message() }], { ...accept, waits: true });
      member.memberId = 'later#2';
      expect((await committing).changed).toEqual([1]);
    });

    it('refuses with a sentence when it does not become one in time', async () => {
      const store = await open({ member: membership().member, waitMs: 300 });
      const waiting = store.commit([{ insert: 'inbox', row: message() }], { ...accept, waits: true });
      await expect(waiting).rejects.toThrow(/this node is not a member of the cluster/);
    });
  });
});

function rowOf(runId: string, sessionKey: string): NewRow<'inbox'> {
  return {
    runId,
    sessionKey,
    kind: 'message',
    dedupeKey: runId,
    fingerprint: null,
    payload: null,
    acceptedAt: 1,
    status: 'queued',
  };
}
