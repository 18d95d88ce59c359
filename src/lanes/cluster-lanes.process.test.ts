import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RunInterruptedError, RunStoppedError } from '../protocol/errors.ts';
import type { ClaimedTrigger } from '../store/claimed-trigger.ts';
import { openPostgresStore } from '../store/postgres/open-postgres-store.ts';
import { PostgresConnection } from '../store/postgres/postgres-connection.ts';
import type { NewRow, Store } from '../store/store.ts';
import type { TriggerKind } from '../store/tables.ts';
import { gate } from '../testkit/gate.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';
import { type LaneNode, type LaneNodeOptions, openLaneNode } from './fixtures/lane-node.ts';
import type { LaneWork } from './lanes.ts';
import { describeLanes } from './lanes-suite.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());
const url = server?.url ?? '';
const newSchema = () => `test_${randomBytes(6).toString('hex')}`;

async function execute(schema: string, sql: string): Promise<readonly (readonly (string | null)[])[]> {
  const connection = new PostgresConnection({ url, schema, name: 'test', waitMs: 5_000 });
  try {
    return (await connection.ask({ sql, values: [] })).rows;
  } finally {
    await connection.close();
  }
}

/** Where Postgres is not installed there is nothing to test with; .ci/run installs it. */
const withServer = describe.skipIf(!server);

withServer('with a real server', () => {
  describeLanes('ClusterLanes', async () => {
    const schema = newSchema();
    const store = await openPostgresStore({ url, schema });
    const nodes = new Map<unknown, LaneNode>();
    return {
      store,
      many: 700,
      async lanes(limit, hasLongPauses) {
        const firstPauseMs = hasLongPauses ? 3_000 : 2;
        const node = await openLaneNode({ url, schema, node: `node-${nodes.size + 1}`, limit, firstPauseMs });
        nodes.set(node.lanes, node);
        return node.lanes;
      },
      end: async (lanes) => nodes.get(lanes)?.leave(),
      storeOf: (lanes) => nodes.get(lanes)?.store ?? store,
      async remove() {
        for (const node of nodes.values()) await node.close();
        await store.close();
        await execute('public', `DROP SCHEMA ${schema} CASCADE`);
        await execute('public', `DROP SCHEMA IF EXISTS ${schema}_worker CASCADE`);
      },
    };
  });
});

withServer('ClusterLanes, over several nodes', () => {
  let schema: string;
  /** Commits for nobody in particular, as the part of the test that is no node. */
  let store: Store;
  const nodes: LaneNode[] = [];

  beforeEach(async () => {
    schema = newSchema();
    store = await openPostgresStore({ url, schema });
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.close();
    await store.close();
    await execute('public', `DROP SCHEMA ${schema} CASCADE`);
    await execute('public', `DROP SCHEMA IF EXISTS ${schema}_worker CASCADE`);
  });

  async function node(
    name: string,
    work: Partial<LaneWork>,
    options: Partial<Omit<LaneNodeOptions, 'node'>> = {},
  ): Promise<LaneNode> {
    const made = await openLaneNode({ url, schema, node: name, lookMs: 60_000, ...options });
    nodes.push(made);
    const giveUp = () => Promise.reject(new Error('given up'));
    const { run = ({ claim }) => end(store, claim) } = work;
    await made.lanes.open({
      giveUp,
      ...work,
      async run(claimed) {
        // What the test commits through a connection of its own comes after the claim.
        await made.store.count('runs', { runId: claimed.claim.runId });
        return run(claimed);
      },
    });
    // The others must know of it.
    for (const other of nodes)
      await eventually(() => expect(other.cluster.members.length).toBe(nodes[0]?.cluster.members.length));
    return made;
  }

  async function queue(...rows: readonly (readonly [sessionKey: string, runId: string, kind?: TriggerKind])[]) {
    await store.commit(
      rows.map(([sessionKey, runId, kind = 'message']) => ({ insert: 'inbox', row: trigger(sessionKey, runId, kind) })),
      { site: 'accept' },
    );
  }

  const openRows = () => store.count('inbox', { status: { in: ['queued', 'claimed'] } });
  const allDone = () => eventually(async () => expect(await openRows()).toBe(0));
  const runOf = async (runId: string) => (await store.select('runs', { where: { runId } }))[0];
  const jobs = async () =>
    Number((await execute(schema, `SELECT count(*) FROM ${schema}_worker._private_jobs`))[0]?.[0]);

  it('runs a session on the node that was woken, and makes no job for it', async () => {
    const told: string[] = [];
    const work = (name: string) => ({
      async run({ claim }: ClaimedTrigger) {
        told.push(`${claim.runId} on ${name}`);
        await end(store, claim);
      },
    });
    const a = await node('a', work('a'));
    const b = await node('b', work('b'));
    const before = await execute(schema, `SELECT last_value FROM ${schema}_worker.jobs_id_seq1`).catch(() => []);
    await queue(['k', 'r1']);
    b.lanes.wake('k');
    await allDone();
    // Another session, because the node that has run one looks whether there is more of it.
    await queue(['j', 'r2']);
    a.lanes.wake('j');
    await allDone();
    expect(told).toEqual(['r1 on b', 'r2 on a']);
    expect(await runOf('r2')).toMatchObject({ node: a.cluster.memberId });
    expect(await execute(schema, `SELECT last_value FROM ${schema}_worker.jobs_id_seq1`).catch(() => [])).toEqual(
      before,
    );
  });

  it('lets another node have what this one has no slot for', async () => {
    const mayEnd = gate();
    const told: string[] = [];
    const work = (name: string): Partial<LaneWork> => ({
      async run({ claim }) {
        told.push(name);
        await mayEnd.opened;
        await end(store, claim);
      },
    });
    const a = await node('a', work('a'), { limit: 1 });
    await node('b', work('b'), { limit: 1 });
    await queue(['k1', 'r1'], ['k2', 'r2'], ['k3', 'r3']);
    for (const key of ['k1', 'k2', 'k3']) a.lanes.wake(key);
    await eventually(() => expect(told.sort()).toEqual(['a', 'b']));
    await eventually(async () => expect(await a.lanes.waiting()).toBe(1));
    mayEnd.open();
    await allDone();
    expect(told).toHaveLength(3);
    await eventually(async () => expect(await jobs()).toBe(0));
  });

  it('runs one key on one node at a time and in order, whichever nodes are woken', async () => {
    const order = new Map<string, string[]>();
    const busy = new Set<string>();
    const faults: string[] = [];
    const work: Partial<LaneWork> = {
      async run({ claim, trigger: { sessionKey } }) {
        if (busy.has(sessionKey)) faults.push(`${claim.runId} ran beside another one`);
        busy.add(sessionKey);
        await new Promise((done) => setTimeout(done, 3));
        order.set(sessionKey, [...(order.get(sessionKey) ?? []), claim.runId]);
        busy.delete(sessionKey);
        await end(store, claim);
      },
    };
    const all = [await node('a', work), await node('b', work), await node('c', work, { limit: 2 })];
    const expected = new Map<string, string[]>();
    for (let round = 0; round < 12; round++) {
      const rows = ['k1', 'k2', 'k3', 'k4', 'k5'].map((key) => [key, `${key}-${round}`] as const);
      for (const [key, runId] of rows) expected.set(key, [...(expected.get(key) ?? []), runId]);
      await queue(...rows);
      for (const [key] of rows) for (const { lanes } of all) lanes.wake(key);
    }
    await allDone();
    expect(faults).toEqual([]);
    expect(Object.fromEntries(order)).toEqual(Object.fromEntries(expected));
    expect(await store.count('runs', { claim: { gt: 1 } })).toBe(0);
  });

  it('takes up the runs of a node that was expelled, whose own attempt is interrupted and stores nothing more', async () => {
    const begun = gate();
    const reasons: unknown[] = [];
    const refused: unknown[] = [];
    const a: LaneNode = await node('a', {
      async run({ claim, signal, attempt }) {
        if (attempt > 1 || claim.runId !== 'r1') return end(store, claim);
        begun.open();
        await aborted(signal);
        reasons.push(signal.reason);
        await end(a.store, claim).catch((error) => refused.push(error));
        throw signal.reason;
      },
    });
    const b = await node('b', {});
    await queue(['k', 'r1'], ['k', 'r2']);
    a.lanes.wake('k');
    await begun.opened;
    const first = a.cluster.memberId;
    await b.cluster.removeNode('a');
    await allDone();
    await eventually(() => expect(reasons).toHaveLength(1));
    expect(reasons[0]).toBeInstanceOf(RunInterruptedError);
    await eventually(() => expect(refused).toHaveLength(1));
    expect(await runOf('r1')).toMatchObject({ claim: 2, status: 'done' });
    // It comes back as a new member and takes part again.
    await eventually(() => expect(a.cluster.memberId).not.toBe(null));
    expect(a.cluster.memberId).not.toBe(first);
    await queue(['k', 'r3']);
    a.lanes.wake('k');
    await allDone();
  });

  it('goes on by itself after it was expelled while it was alone', async () => {
    const attempts: number[] = [];
    const begun = gate();
    const a = await node('a', {
      async run({ claim, signal, attempt }) {
        attempts.push(attempt);
        if (attempt > 1) return end(store, claim);
        begun.open();
        await aborted(signal);
        throw signal.reason;
      },
    });
    await queue(['k', 'r1']);
    a.lanes.wake('k');
    await begun.opened;
    await a.cluster.removeNode('a');
    await allDone();
    expect(attempts).toEqual([1, 2]);
    // The attempt that was interrupted says nothing about the run.
    expect(await runOf('r1')).toMatchObject({ claim: 2, progressClaim: 2 });
  });

  it('stops a run on whatever node it is, and says when there is none', async () => {
    const reasons: unknown[] = [];
    const begun = gate();
    const a = await node('a', {
      async run({ claim, signal }) {
        begun.open();
        await aborted(signal);
        reasons.push(signal.reason);
        await end(store, claim);
      },
    });
    const b = await node('b', {});
    await queue(['k', 'r1']);
    a.lanes.wake('k');
    await begun.opened;
    await eventually(async () => expect(await runOf('r1')).toBeDefined());
    expect(await b.lanes.stop('k', 'not that one', 'r2')).toBe(false);
    expect(await b.lanes.stop('other', 'none')).toBe(false);
    expect(await b.lanes.stop('k', 'the user said /stop', 'r1')).toBe(true);
    await allDone();
    expect(reasons[0]).toBeInstanceOf(RunStoppedError);
    expect(reasons[0]).toMatchObject({ reason: 'the user said /stop' });
  });

  describe('a stop that no node was told of', () => {
    let told: string[];
    const work = (name: string): Partial<LaneWork> => ({
      async run({ claim, signal, attempt }) {
        told.push(`${claim.runId} on ${name}${signal.aborted ? ' stopped' : ''}`);
        if (attempt === 1) await aborted(signal);
        if (!(signal.reason instanceof RunStoppedError)) throw signal.reason;
        await end(store, claim);
      },
    });
    const stopByRow = (runId: string) =>
      store.commit([{ update: 'runs', where: { runId }, set: { stopReason: 'lost' } }], { site: 'control' });
    beforeEach(() => {
      told = [];
    });

    it('is found by the node that has the run', async () => {
      const a = await node('a', work('a'), { lookMs: 50 });
      await queue(['k', 'r1']);
      a.lanes.wake('k');
      await eventually(async () => expect(await runOf('r1')).toBeDefined());
      await stopByRow('r1');
      await allDone();
      expect(told).toEqual(['r1 on a']);
    });

    it('is found by the node that takes over from one that died meanwhile', async () => {
      await node('a', work('a'));
      const b = await node('b', work('b'));
      await queue(['k', 'r2']);
      b.lanes.wake('k');
      await eventually(() => expect(told).toEqual(['r2 on b']));
      await eventually(async () => expect(await runOf('r2')).toBeDefined());
      await stopByRow('r2');
      await b.leave();
      await allDone();
      expect(told).toEqual(['r2 on b', 'r2 on a stopped']);
    });
  });

  it('begins no run of a key that another node holds, until it is released or that node is gone', async () => {
    const told: string[] = [];
    const work: Partial<LaneWork> = {
      async run({ claim }) {
        told.push(claim.runId);
        await end(store, claim);
      },
    };
    const a = await node('a', work);
    const b = await node('b', work);
    const release = await b.lanes.hold('k');
    await queue(['k', 'r1'], ['other', 'r2']);
    a.lanes.wake('k');
    a.lanes.wake('other');
    b.lanes.wake('k');
    await eventually(() => expect(told).toEqual(['r2']));
    expect(await openRows()).toBe(1);
    release();
    await allDone();
    expect(told).toEqual(['r2', 'r1']);

    await b.lanes.hold('k');
    await queue(['k', 'r3']);
    a.lanes.wake('k');
    await eventually(() => expect(a.lanes.running).toEqual([]));
    expect(told).not.toContain('r3');
    await b.leave();
    await allDone();
    expect(told).toContain('r3');
  });

  it('lets no run begin between the moment in which it is held and the work of the holder', async () => {
    const a = await node('a', {});
    const b = await node('b', {});
    for (let round = 0; round < 30; round++) {
      await queue(['k', `r${round}`]);
      a.lanes.wake('k');
      const release = await b.lanes.hold('k');
      const begun = await store.count('runs', {});
      await new Promise((done) => setTimeout(done, 5));
      expect(await store.count('runs', {})).toBe(begun);
      release();
      await allDone();
    }
  });

  it('keeps the lane of a suspended run shut on every node, and any node may resume it', async () => {
    const told: string[] = [];
    const work = (name: string): Partial<LaneWork> => ({
      async run({ claim, trigger: { kind } }) {
        told.push(`${claim.runId} ${kind} on ${name}`);
        if (claim.runId !== 'r1' || kind !== 'message') return end(store, claim);
        const set = { status: 'suspended', progressClaim: claim.claim } as const;
        await store.commit([{ update: 'runs', where: { runId: 'r1' }, set }], { site: 'tool-start', claim });
      },
    });
    const a = await node('a', work('a'));
    const b = await node('b', work('b'));
    await queue(['k', 'r1'], ['k', 'r2']);
    a.lanes.wake('k');
    await eventually(async () => expect(await runOf('r1')).toMatchObject({ status: 'suspended' }));
    b.lanes.wake('k');
    a.lanes.wake('k');
    await eventually(() => expect([...a.lanes.running, ...b.lanes.running]).toEqual([]));
    await a.leave();
    expect(told).toEqual(['r1 message on a']);
    await queue(['k', 'r1', 'approval']);
    b.lanes.wake('k');
    await allDone();
    expect(told.slice(1)).toEqual(['r1 approval on b', 'r2 message on b']);
  });

  it('ends a run that was suspended at the moment in which another node stopped it', async () => {
    const cancelled: string[] = [];
    const begun = gate();
    const maySuspend = gate();
    const a = await node('a', {
      async run({ claim }) {
        begun.open();
        await maySuspend.opened;
        const set = { status: 'suspended', progressClaim: claim.claim } as const;
        await store.commit([{ update: 'runs', where: { runId: 'r1' }, set }], { site: 'tool-start', claim });
      },
      cancel: async (runId, reason) => cancelled.push(`${runId}: ${reason}`),
    });
    await queue(['k', 'r1']);
    a.lanes.wake('k');
    await begun.opened;
    await eventually(async () => expect(await runOf('r1')).toBeDefined());
    const set = { stopReason: 'enough' };
    await store.commit([{ update: 'runs', where: { runId: 'r1' }, set }], { site: 'control' });
    maySuspend.open();
    await eventually(() => expect(cancelled).toEqual(['r1: enough']));
  });

  it('takes no new work while it drains, and leaves what waits to others', async () => {
    const told: string[] = [];
    const mayEnd = gate();
    const work = (name: string): Partial<LaneWork> => ({
      async run({ claim }) {
        told.push(`${claim.runId} on ${name}`);
        if (claim.runId === 'r1') await mayEnd.opened;
        await end(store, claim);
      },
    });
    const a = await node('a', work('a'));
    const b = await node('b', work('b'));
    await queue(['k', 'r1'], ['k', 'r2']);
    a.lanes.wake('k');
    await eventually(() => expect(told).toEqual(['r1 on a']));
    await b.cluster.drainNode('a');
    await eventually(() => expect(a.cluster.members.find(({ node }) => node === 'a')?.status).toBe('draining'));
    await queue(['other', 'r3']);
    a.lanes.wake('other');
    await eventually(() => expect(told).toContain('r3 on b'));
    mayEnd.open();
    await allDone();
    expect(told).toContain('r2 on b');
  });

  it('runs the sessions of an agent that is bound to a node there and nowhere else', async () => {
    const told: string[] = [];
    const work = (name: string): Partial<LaneWork> => ({
      async run({ claim }) {
        told.push(`${claim.runId} on ${name}`);
        await end(store, claim);
      },
    });
    const nodeOf = (key: string) => (key.startsWith('bound') ? 'b' : undefined);
    const a = await node('a', work('a'), { nodeOf });
    const b = await node('b', work('b'), { nodeOf });
    await queue(['bound', 'r1'], ['free', 'r2']);
    a.lanes.wake('bound');
    a.lanes.wake('free');
    await allDone();
    expect(told.sort()).toEqual(['r1 on b', 'r2 on a']);
    await b.leave();
    await queue(['bound', 'r3'], ['free', 'r4']);
    a.lanes.wake('bound');
    a.lanes.wake('free');
    await eventually(() => expect(told).toContain('r4 on a'));
    const back = await node('b', work('b again'), { nodeOf });
    await allDone();
    expect(back.lanes.running).toEqual([]);
    expect(told).toContain('r3 on b again');
  });

  it('has slots of their own for children on every node', async () => {
    const mayEnd = gate();
    const told: string[] = [];
    const aside = { isMeant: (key: string) => key.startsWith('child'), limit: 2 };
    const work = (name: string): Partial<LaneWork> => ({
      async run({ claim, trigger: { sessionKey }, begun }) {
        begun();
        told.push(`${sessionKey} on ${name}`);
        if (sessionKey.startsWith('child')) await mayEnd.opened;
        await end(store, claim);
      },
    });
    const a = await node('a', work('a'), { limit: 1, aside });
    await node('b', work('b'), { limit: 1, aside });
    const children = Array.from({ length: 8 }, (_, index) => `child-${index}`);
    await queue(...children.map((key) => [key, key] as const));
    for (const key of children) a.lanes.wake(key);
    await eventually(() => expect(told).toHaveLength(4));
    await queue(['person', 'r1']);
    a.lanes.wake('person');
    await eventually(() => expect(told.filter((text) => text.startsWith('person'))).toHaveLength(1));
    mayEnd.open();
    await allDone();
    expect(told).toHaveLength(9);
  });

  it('takes more when it gets more slots', async () => {
    const mayEnd = gate();
    const told: string[] = [];
    const a = await node(
      'a',
      {
        async run({ claim }) {
          told.push(claim.runId);
          await mayEnd.opened;
          await end(store, claim);
        },
      },
      { limit: 1 },
    );
    await queue(['k1', 'r1'], ['k2', 'r2'], ['k3', 'r3']);
    for (const key of ['k1', 'k2', 'k3']) a.lanes.wake(key);
    await eventually(async () => expect(await jobs()).toBe(2));
    a.lanes.resize(3, 1);
    await eventually(() => expect(told.sort()).toEqual(['r1', 'r2', 'r3']));
    mayEnd.open();
    await allDone();
  });

  it('finds what no node was woken for', async () => {
    await node('a', {}, { lookMs: 50 });
    await node('b', {}, { lookMs: 50 });
    await queue(['k', 'r1'], ['k2', 'r2']);
    await allDone();
  });

  it('claims triggers that belong together as one run, although two nodes look at the same time', async () => {
    const joining: LaneWork['joining'] = { kind: 'completion', limit: 10, takes: () => true };
    const told: string[] = [];
    const work: Partial<LaneWork> = {
      joining,
      async run({ claim }) {
        const rows = await store.select('inbox', { where: { runId: claim.runId, status: 'claimed' } });
        told.push(...rows.map(({ payload }) => payload?.inbound.text ?? ''));
        await end(store, claim);
      },
    };
    const a = await node('a', work);
    const b = await node('b', work);
    for (let round = 0; round < 10; round++) {
      await queue(['k', `x${round}`, 'completion'], ['k', `y${round}`, 'completion']);
      a.lanes.wake('k');
      b.lanes.wake('k');
    }
    await allDone();
    expect(new Set(told).size).toBe(20);
    expect(told).toHaveLength(20);
  });

  it('goes on after the database was restarted', async () => {
    const a = await node('a', {}, { limit: 1, lookMs: 200 });
    const b = await node('b', {}, { limit: 1, lookMs: 200 });
    await queue(['k', 'r1']);
    a.lanes.wake('k');
    await allDone();
    await server?.restart();
    await eventually(async () => {
      await queue(['k', 'r2'], ['k2', 'r3'], ['k3', 'r4'], ['k4', 'r5']);
    }, 20_000);
    for (const key of ['k', 'k2', 'k3', 'k4']) a.lanes.wake(key);
    await eventually(async () => expect(await openRows()).toBe(0), 20_000);
    expect([...a.warnings, ...b.warnings].filter((text) => text.includes('given up'))).toEqual([]);
  });
});

/** Does what a run does at its end. */
async function end(store: Store, claim: ClaimedTrigger['claim']): Promise<void> {
  const { runId } = claim;
  await store.commit(
    [
      { update: 'runs', where: { runId }, set: { status: 'done', endedAt: 1, progressClaim: claim.claim } },
      { update: 'inbox', where: { runId }, set: { status: 'done' } },
    ],
    { site: 'result', claim },
  );
}

function trigger(sessionKey: string, runId: string, kind: TriggerKind): NewRow<'inbox'> {
  const surface = { channel: 'test', accountId: 'default', peer: { kind: 'direct', id: 'ana' } } as const;
  const payload = { inbound: { surface, sender: { id: 'ana' }, text: runId, at: 0 }, agentId: 'main' };
  return { runId, sessionKey, kind, dedupeKey: null, fingerprint: null, payload, acceptedAt: 0, status: 'queued' };
}

function eventually(check: () => void | Promise<void>, timeout = 15_000): Promise<void> {
  return vi.waitFor(check, { timeout, interval: 5 });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}
