// The command `npm run chaos:lanes -- [--triggers N] [--keys K] [--kills N]`: three nodes work on one inbox. First one of them is
// killed and one frozen in the middle, and everything is counted; then nodes are killed one after the other while they work, and
// the time is taken from the kill until another node has begun the first of their runs again. Needs Debian's postgresql.
// Exits 0 when nothing was lost, doubled or out of order; 1 when something was.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bundleLaneNode, LaneNodeProcess, type NodeEvent } from '../src/lanes/fixtures/lane-node-process.ts';
import { trigger, tryLanes } from '../src/lanes/fixtures/lane-trial.ts';
import { openPostgresStore } from '../src/store/postgres/open-postgres-store.ts';
import { findPostgres, startPostgres } from '../src/testkit/postgres-server.ts';

const { values: flags } = parseArgs({
  options: {
    triggers: { type: 'string', default: '2000' },
    keys: { type: 'string', default: '200' },
    kills: { type: 'string', default: '20' },
  },
});
const programs = await findPostgres();
if (programs === undefined) throw new Error('Postgres is not installed (Debian: postgresql).');
const server = await startPostgres(programs);
const dir = await mkdtemp(join(tmpdir(), 'atrium-lanes-'));
try {
  const script = await bundleLaneNode(dir);
  const place = { script, url: server.url };
  const counts = await tryLanes({
    ...place,
    schema: 'trial',
    keys: Number(flags.keys),
    triggers: Number(flags.triggers),
    limit: 16,
    workMs: 50,
    frozenMs: 10_000,
  });
  console.log(counts);
  const times = (await killOneByOne(place, Number(flags.kills))).sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  console.log(`${times.length} kills; first work again after p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`);
  if (counts.lost + counts.doubled + counts.disordered + counts.givenUp > 0) process.exitCode = 1;
} finally {
  await server.destroy();
  await rm(dir, { recursive: true, force: true });
}

async function killOneByOne(
  place: { readonly script: string; readonly url: string },
  kills: number,
): Promise<number[]> {
  const schema = 'kills';
  const store = await openPostgresStore({ url: place.url, schema });
  let heard: (event: NodeEvent) => void = () => {};
  const start = (node: string) =>
    new LaneNodeProcess({ ...place, schema, node, limit: 16, workMs: 60_000, heard: (event) => heard(event) });
  const nodes = ['a', 'b', 'c'].map(start);
  await Promise.all(nodes.map(({ opened }) => opened));
  const times: number[] = [];
  for (let round = 0; round < kills; round++) {
    const index = round % nodes.length;
    const victim = nodes[index] as LaneNodeProcess;
    const keys = Array.from({ length: 4 }, (_, number) => `key-${round}-${number}`);
    const begun = new Set<string>();
    const allBegun = new Promise<void>((resolve) => {
      heard = ({ event, sessionKey = '', node }) => {
        if (event === 'begin' && node === victim.node && keys.includes(sessionKey)) begun.add(sessionKey);
        if (begun.size === keys.length) resolve();
      };
    });
    await store.commit(
      keys.map((key) => ({ insert: 'inbox', row: trigger(key, key) })),
      { site: 'accept' },
    );
    for (const key of keys) victim.wake(key);
    await allBegun;
    await sleep(500 + Math.random() * 500);
    const again = new Promise<number>((resolve) => {
      heard = ({ event, sessionKey = '', at }) => {
        if (event === 'begin' && keys.includes(sessionKey)) resolve(at);
      };
    });
    const killed = performance.now();
    await victim.kill();
    times.push((await again) - killed);
    const end = [
      { update: 'inbox', where: { sessionKey: { in: keys } }, set: { status: 'done' } },
      { update: 'runs', where: { sessionKey: { in: keys } }, set: { status: 'done' } },
    ] as const;
    await store.commit(end, { site: 'control' });
    nodes[index] = start(victim.node);
    await nodes[index]?.opened;
  }
  await Promise.all(nodes.map((node) => node.kill()));
  await store.close();
  return times;
}
