import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleProgram } from '../store/bundle-program.ts';
import { openPostgresStore } from '../store/postgres/open-postgres-store.ts';
import { PostgresConnection } from '../store/postgres/postgres-connection.ts';
import { CuttingProxy } from '../testkit/cutting-proxy.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';
import type { MemberChange } from './cluster.ts';
import { describeCluster } from './cluster-suite.ts';
import { PostgresCluster } from './postgres-cluster.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
const url = server?.url ?? '';
/** Each test has its nodes in a schema of its own. */
let schema = '';
let schemas = 0;
afterAll(() => server?.destroy());

const SOON = { timeout: 15_000, interval: 10 };
const LATER = { timeout: 40_000, interval: 10 };

async function newSchema(): Promise<void> {
  schemas += 1;
  schema = `cluster_${schemas}`;
  await (await openPostgresStore({ url, schema })).close();
}

function node(name: string, warnings: string[] = []): PostgresCluster {
  const warn = (sentence: string) => warnings.push(sentence);
  return new PostgresCluster({ url, schema, node: name, version: '1', warn });
}

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server)('with a real server', () => {
  describeCluster(
    'gateways on Postgres',
    async () => {
      await newSchema();
      return { node, remove: async () => undefined };
    },
    { hasSeveral: true },
  );

  it('tells how far the clock of a node is ahead of the database, or behind it', async () => {
    await newSchema();
    for (const aheadMs of [90_000, -90_000]) {
      const now = () => Date.now() + aheadMs;
      const cluster = new PostgresCluster({ url, schema, node: 'a', version: '1', warn: () => undefined, now });
      await cluster.join();
      // The time that the answer took is not counted, so it may be less.
      const off = () => cluster.clockAheadMs / aheadMs;
      await expect.poll(off, SOON).toBeGreaterThan(0.9);
      expect(off()).toBeLessThan(1.1);
      await cluster.leave();
    }
    const right = node('b');
    await right.join();
    expect(Math.abs(right.clockAheadMs)).toBeLessThan(1_000);
    await right.leave();
  });

  describe('a node in a process of its own', () => {
    let scratch: string;
    let program: string;
    let watcher: PostgresCluster;
    let ask: PostgresConnection;
    const changes: (MemberChange & { readonly at: number })[] = [];
    const children: ChildProcess[] = [];
    beforeAll(async () => {
      scratch = await mkdtemp(join(tmpdir(), 'atrium-node-program-'));
      program = await bundleProgram(scratch, WRITING_NODE);
    });
    afterAll(() => rm(scratch, { recursive: true }));
    beforeEach(async () => {
      await newSchema();
      watcher = node('watcher');
      ask = new PostgresConnection({ url, schema, name: 'test', waitMs: 5_000 });
      changes.length = 0;
      await watcher.join();
      watcher.watchMembers((change) => changes.push({ ...change, at: performance.now() }));
    });
    afterEach(async () => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
      await watcher.leave();
      await ask.close();
    });

    /** Starts a node that commits a row every few milliseconds, and returns what it says. */
    async function start(): Promise<{ readonly child: ChildProcess; readonly said: string[] }> {
      const child = spawn(process.execPath, [program, url, schema], { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      const said: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
      await expect.poll(() => said.length, SOON).toBeGreaterThan(5);
      await expect.poll(() => changes.length, SOON).toBe(1);
      return { child, said };
    }
    const written = async () => {
      const { rows } = await ask.ask({ sql: 'SELECT run_id FROM inbox ORDER BY seq', values: [] });
      return rows.map(([id]) => String(id));
    };
    const expelled = () => changes.find(({ change }) => change === 'expelled');

    it('is expelled in less than two seconds when it is killed', async () => {
      const { child } = await start();
      // A node that has just come lets the others come back first.
      await new Promise((resolve) => setTimeout(resolve, 1_600));
      const at = performance.now();
      child.kill('SIGKILL');
      await expect.poll(expelled, SOON).toBeDefined();
      expect((expelled()?.at ?? 0) - at).toBeLessThan(2_000);
      expect(watcher.isAlive(expelled()?.member.id ?? '')).toBe(false);
    });

    it('writes nothing after it was expelled, although it was only frozen, and comes back as a new member', async () => {
      const { child, said } = await start();
      await new Promise((resolve) => setTimeout(resolve, 1_600));
      child.kill('SIGSTOP');
      await expect.poll(expelled, SOON).toBeDefined();
      const old = expelled()?.member.id;
      const then = await written();
      expect(then.every((id) => id.startsWith(`${old} `))).toBe(true);
      const heard = said.length;
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      child.kill('SIGCONT');
      await expect
        .poll(() => said.slice(heard).filter((line) => /^made .*#3 /.test(line)).length, SOON)
        .toBeGreaterThan(5);
      const later = (await written()).slice(then.length);
      expect(later.length).toBeGreaterThan(0);
      expect(later.filter((id) => id.startsWith(`${old} `))).toEqual([]);
      expect(said.slice(heard)).toContain('refused NodeExpelledError');
      // It sent nothing either before it was a member again.
      const sends = said.slice(heard).filter((line) => line.startsWith('sent '));
      expect(sends.filter((line) => line.startsWith(`sent ${old} `)).length).toBeLessThanOrEqual(1);
    });

    it('that was drained stays so when it was frozen and comes back as a new member', async () => {
      const { child } = await start();
      const [{ node: name, id } = { node: '', id: '' }] = watcher.members.filter((each) => each.node !== 'watcher');
      await watcher.drainNode(name);
      child.kill('SIGSTOP');
      await expect.poll(expelled, SOON).toBeDefined();
      child.kill('SIGCONT');
      const back = () => watcher.members.find((each) => each.node === name && each.id !== id);
      await expect.poll(() => back()?.status, SOON).toBe('draining');
    });

    it('goes on with the same id after the server was restarted', async () => {
      const { said } = await start();
      await server?.restart();
      const heard = said.length;
      await expect
        .poll(() => said.slice(heard).filter((line) => line.startsWith('made ')).length, SOON)
        .toBeGreaterThan(20);
      await watcher.whileMember();
      expect(changes.filter(({ change }) => change === 'expelled')).toEqual([]);
      expect(watcher.members.map(({ id }) => id)).toEqual(['watcher#1', 'child#2']);
    });
  });

  describe('a node whose connections are cut', () => {
    let cutter: PostgresConnection;
    beforeEach(async () => {
      await newSchema();
      cutter = new PostgresConnection({ url, schema, name: 'cutter', waitMs: 5_000 });
    });
    afterEach(() => cutter.close());
    const cut = (name: string) =>
      cutter.ask({
        sql: 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
        values: [name],
      });

    it('stays a member when it comes back in time, and hears again', async () => {
      const [a, b] = [node('a'), node('b')];
      await a.join();
      await b.join();
      const ids = [a.memberId, b.memberId];
      for (let round = 0; round < 3; round += 1) {
        await cut('atrium membership');
        await cut('atrium cluster');
        await a.whileMember();
        const heard: unknown[] = [];
        const off = a.subscribe('change', (message) => heard.push(message));
        await expect
          .poll(() => {
            b.publish('change', round);
            return heard.includes(round);
          }, SOON)
          .toBe(true);
        off();
      }
      expect([a.memberId, b.memberId]).toEqual(ids);
      await a.leave();
      await b.leave();
    });

    it('joins again when its connections hang and are never closed', async () => {
      const proxy = await CuttingProxy.start(server?.socket ?? '');
      const through = `postgres://atrium@127.0.0.1:${proxy.port}/postgres`;
      const a = new PostgresCluster({ url: through, schema, node: 'a', version: '1', warn: () => undefined });
      const b = node('b');
      await a.join();
      await b.join();
      const before = a.memberId;
      proxy.stop({ alsoNew: true });
      await expect.poll(() => b.isAlive(before), SOON).toBe(false);
      expect(a.isCertain).toBe(false);
      proxy.resume();
      await expect.poll(() => a.memberId !== before && a.isCertain, LATER).toBe(true);
      expect(a.processId).toBe(before);
      await a.leave();
      await b.leave();
      await proxy.close();
    });
  });
});

const WRITING_NODE = `
  import { openPostgresStore } from './postgres/open-postgres-store.ts';
  import { PostgresCluster } from './../cluster/postgres-cluster.ts';
  const [, , url, schema] = process.argv;
  const say = (line) => process.stdout.write(line + '\\n');
  const cluster = new PostgresCluster({ url, schema, node: 'child', version: '1', warn: (line) => say('warn ' + line) });
  const store = await openPostgresStore({ url, schema, member: cluster });
  await cluster.join();
  let count = 0;
  const write = async () => {
    const runId = cluster.memberId + ' ' + count++;
    const row = { runId, sessionKey: 'agent:main:main', kind: 'message', dedupeKey: runId, fingerprint: null, payload: null, acceptedAt: 1, status: 'queued' };
    try {
      await store.commit([{ insert: 'inbox', row }], { site: 'accept' });
      say('made ' + runId);
    } catch (error) {
      say('refused ' + error.name);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const forever = async (work) => { for (;;) await work(); };
  // Several commits are always under way, so that some are when the process is frozen.
  for (let index = 0; index < 4; index += 1) void forever(write);
  void forever(async () => {
    await cluster.whileMember();
    say('sent ' + cluster.memberId + ' ' + count);
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
`;
