// What several nodes are worth and what a database costs: how many runs two nodes do compared with one, with a model that takes its time
// and the same limit of concurrent runs on each; the own overhead of a turn on Postgres compared with a file, in turns within one run; and
// what a node costs that has nothing to do.
//
//   npm run bench:nodes -- [--json] [--limit 8] [--seconds 15] [--idle 60] [--rounds 300]

import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findPostgres, startPostgres } from '../src/testkit/postgres-server.ts';
import { makeAtriumHome, startAtrium } from './turn/atrium.mjs';
import { askModel, inTurns, percentile, Talker, throughput } from './turn/load.mjs';
import { killAll, processorTimeOf, startServer, stopProcess, untilReady } from './turn/processes.mjs';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    limit: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '15' },
    idle: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '300' },
  },
});
const LIMIT = Number(flags.limit);
const MODEL_MS = 500;
const here = dirname(fileURLToPath(import.meta.url));
const dist = resolve('dist');
const model = join(here, 'turn', 'instant-model.mjs');

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.once('exit', killAll);

const programs = await findPostgres();
if (programs === undefined) throw new Error('Postgres is not installed. On Debian: apt-get install postgresql');
const root = await mkdtemp(join(tmpdir(), 'atrium-bench-nodes-'));
const server = await startPostgres(programs);
let schemas = 0;
try {
  const before = loadavg()[0];
  const overhead = await measureOverhead();
  const speed = await measureSpeed();
  const idle = await measureIdle();
  const found = { 'load before': before, 'load after': loadavg()[0], overhead, speed, idle };
  console.log(flags.json ? JSON.stringify(found, null, 2) : textOf(found));
} finally {
  killAll();
  await server.destroy();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

/** The nodes of one schema; without a number a gateway on a file. */
async function start(modelUrl, count, limit = 32) {
  schemas += 1;
  const nodes = [];
  for (let index = 0; index < (count ?? 1); index++) {
    const settings = {
      agents: {
        defaults: { model: 'bench/instant', maxConcurrent: limit, workspace: join(root, `workspace-${schemas}`) },
      },
      ...(count !== undefined && { store: { url: server.url, schema: `bench_${schemas}`, node: `node-${index + 1}` } }),
    };
    const home = await makeAtriumHome(join(root, `home-${schemas}-${index}`), modelUrl, settings);
    const node = await startAtrium(home, dist);
    await untilReady(node.readyUrl, node, 30_000);
    nodes.push(node);
  }
  return nodes;
}

async function stop(nodes) {
  for (const node of nodes) await stopProcess(node);
}

async function measureOverhead() {
  const instant = await startServer(model);
  const [file] = await start(instant.url);
  const [node] = await start(instant.url, 1);
  const [onFile, onPostgres] = [new Talker('file'), new Talker('postgres')];
  const calls = [() => askModel(instant.url), () => onFile.turn(file), () => onPostgres.turn(node)];
  const [bare, files, nodes] = await inTurns(calls, Number(flags.rounds), 100);
  const p50 = (samples) =>
    percentile(
      samples.map((ms, index) => ms - bare[index]),
      0.5,
    );
  const cpu = await processorTimeOfTurns([file, node]);
  await stop([file, node]);
  const [fileMs, postgresMs] = [p50(files), p50(nodes)];
  return { fileMs, postgresMs, ratio: postgresMs / fileMs, 'cpu ms on a file': cpu[0], 'cpu ms on Postgres': cpu[1] };
}

async function processorTimeOfTurns(gateways) {
  const figures = [];
  for (const gateway of gateways) {
    const talker = new Talker('cpu');
    const before = processorTimeOf(gateway.pid);
    for (let turn = 0; turn < 100; turn++) await talker.turn(gateway);
    figures.push((processorTimeOf(gateway.pid) - before) / 100);
  }
  return figures;
}

async function measureSpeed() {
  const slow = await startServer(model, String(MODEL_MS));
  const rates = [];
  for (const count of [1, 2]) {
    const nodes = await start(slow.url, count, LIMIT);
    // There is always more to do than the nodes may do at the same time, and every node is asked alike.
    const sessions = LIMIT * count * 3;
    const talkers = (index) => {
      const talker = new Talker(`s${index}`);
      return () => talker.turn(nodes[index % nodes.length]);
    };
    await throughput(talkers, sessions, { ms: 3_000 });
    rates.push(await throughput(talkers, sessions, { ms: Number(flags.seconds) * 1_000 }));
    await stop(nodes);
  }
  const [one, two] = rates;
  return {
    limit: LIMIT,
    'runs a second of one': one,
    'runs a second of two': two,
    ratio: two / one,
    'at most': (LIMIT * 1000) / MODEL_MS,
  };
}

async function measureIdle() {
  const instant = await startServer(model);
  const nodes = await start(instant.url, 2);
  await sleep(10_000);
  const before = nodes.map(({ pid }) => processorTimeOf(pid));
  const seconds = Number(flags.idle);
  await sleep(seconds * 1_000);
  const percent = nodes.map(({ pid }, index) => (processorTimeOf(pid) - before[index]) / (seconds * 10));
  await stop(nodes);
  return { seconds, 'percent of a core': percent };
}

function textOf(found) {
  return Object.entries(found)
    .map(([name, value]) => {
      if (typeof value !== 'object') return `${name}: ${shown(value)}`;
      return `${name}\n${Object.entries(value)
        .map(([key, each]) => `  ${key.padEnd(24)}${[each].flat().map(shown).join(', ')}`)
        .join('\n')}`;
    })
    .join('\n');
}

function shown(value) {
  return typeof value === 'number' ? String(Math.round(value * 100) / 100) : String(value);
}
