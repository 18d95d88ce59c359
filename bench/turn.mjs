// What a turn costs: a gateway in a process of its own, a model that answers at once in another, and a client in this
// one. Measured against two floors in the same run: a bare HTTP proxy to the same model, and the bare SQLite commits
// that the same turns make. Ratios tell more than times, since the machine slows all sides alike.
//
//   npm run bench:turn -- [--json] [--full] [--only variants|areas] [--peer openclaw[@VERSION]] [--dist <folder of another build>]

import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeAtriumHome, startAtrium } from './turn/atrium.mjs';
import { askModel, inTurns, percentile, Talker, throughput } from './turn/load.mjs';
import { installOpenClaw, makeOpenClawHome, OPENCLAW_VERSIONS, startOpenClaw } from './turn/openclaw.mjs';
import { killAll, memoryOf, processorTimeOf, startServer, stopProcess, untilReady } from './turn/processes.mjs';
import { replayStatements } from './turn/sqlite-floor.mjs';
import { LONG, MANY, measureVariants, PLUGINS } from './turn/variants.mjs';
import { measureWhereTimeGoes } from './turn/where-time-goes.mjs';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    peer: { type: 'string' },
    'peer-folder': { type: 'string' },
    only: { type: 'string' },
    dist: { type: 'string', default: 'dist' },
  },
});
const [peerName, peerVersion] = flags.peer?.split('@') ?? [];
if (peerName !== undefined && peerName !== 'openclaw') throw new Error('The only peer is openclaw.');
/** Without a version the newest is measured and the one that `conformance/` compares with. */
const PEER_VERSIONS = peerName === undefined ? [] : peerVersion === undefined ? OPENCLAW_VERSIONS : [peerVersion];
if (flags.only !== undefined && flags.only !== 'variants' && flags.only !== 'areas')
  throw new Error('The parts that run alone are variants and areas.');

const here = dirname(fileURLToPath(import.meta.url));
const dist = resolve(flags.dist);
const root = await mkdtemp(join(tmpdir(), 'atrium-bench-turn-'));
const SESSIONS = [1, 8, 32];
const OURS = flags.full
  ? { starts: 15, rounds: 1_500, warmUps: 300, throughputMs: 8_000, memoryTurns: [1_000, 3_000, 5_000, 10_000, 20_000] }
  : { starts: 5, rounds: 300, warmUps: 200, throughputMs: 2_000, memoryTurns: [1_000, 3_000, 5_000] };
/** Warm-ups and half of the rounds are part of the long conversation, so that both together are bounded. */
const VARIED = {
  ...(flags.full ? { rounds: 300, compileTurns: 4_000 } : { rounds: 150, compileTurns: 1_500 }),
  warmUps: 100,
};
/** A slow peer gets as long as it takes to see its rate, and no longer. */
const PEER = { starts: 3, rounds: 20, warmUps: 3, throughputMs: 15_000, memoryTurns: [], readyLimitMs: 120_000 };
const RECORDED = { 1: 150, 8: 320, 32: 640 };

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.once('exit', killAll);

try {
  const model = await startServer(join(here, 'turn', 'instant-model.mjs'));
  const proxy = await startServer(join(here, 'turn', 'bare-proxy.mjs'), model.url);
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    'memory GB': Math.round(totalmem() / 2 ** 30),
    node: process.version,
    'load before': loadavg()[0],
  };

  const whole = flags.only === undefined ? await measureWhole(model, proxy) : {};
  const isAsked = (part) => flags.only === undefined || flags.only === part;
  const variants = isAsked('variants') ? await measureVariants({ root, dist, model, say, ...VARIED }) : undefined;
  const areas = isAsked('areas') ? (await measureWhereTimeGoes({ root, dist, model, say })).rows : undefined;
  machine['load after'] = loadavg()[0];
  if (flags.json) console.log(JSON.stringify({ machine, ...whole, variants, areas }, null, 2));
  else print(machine, whole, variants, areas);
} finally {
  killAll();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

async function measureWhole(model, proxy) {
  const home = await makeAtriumHome(root, model.url);
  return {
    atrium: await measure(() => startAtrium(home, dist), { ...OURS, readyLimitMs: 20_000 }, model, proxy),
    commits: await measureCommits(model),
    peers: await measurePeers(model, proxy),
  };
}

async function measure(start, how, model, proxy) {
  say('starting');
  const readyMs = [];
  let gateway;
  for (let count = 0; count < how.starts; count++) {
    if (gateway) await stopProcess(gateway);
    gateway = await start();
    readyMs.push(await untilReady(gateway.readyUrl, gateway, how.readyLimitMs));
  }
  await sleep(1_500);
  const idleMb = memoryOf(gateway.pid);

  say('one turn after the other');
  const talker = new Talker('one');
  const calls = [() => askModel(model.url), () => askModel(proxy.url), () => talker.turn(gateway)];
  const [bare, proxied, turns] = await inTurns(calls, how.rounds, how.warmUps);
  const over = (samples) => samples.map((ms, index) => ms - bare[index]);
  const overhead = over(turns);
  const proxyOverhead = over(proxied);
  await sleep(1_500);
  const warmMb = memoryOf(gateway.pid);
  let done = how.rounds + how.warmUps;

  const rates = [];
  for (const sessions of SESSIONS) {
    say(`${sessions} sessions`);
    const count = (call) => () => call().then(() => done++);
    const talkers = (index) => {
      const each = new Talker(`s${sessions}-${index}`);
      return count(() => each.turn(gateway));
    };
    const before = { done, cpu: processorTimeOf(gateway.pid) };
    const turnsPerSecond = await throughput(talkers, sessions, { ms: how.throughputMs });
    const cpuMsPerTurn = (processorTimeOf(gateway.pid) - before.cpu) / (done - before.done);
    const proxyPerSecond = await throughput(() => () => askModel(proxy.url), sessions, { ms: 1_000 });
    rates.push({ sessions, turnsPerSecond, proxyPerSecond, cpuMsPerTurn });
  }

  // Garbage is collected when it must be, so a figure may be high by chance; growth shows over several of them.
  const memory = [
    { turns: 0, mb: idleMb },
    { turns: how.rounds + how.warmUps, mb: warmMb },
  ];
  let further = 0;
  for (const goal of how.memoryTurns) {
    say(`${goal} further turns`);
    const calls = goal - further;
    await throughput((index) => talking(new Talker(`m${goal}-${index}`), gateway), 32, { calls });
    further = goal;
    await sleep(1_000);
    memory.push({ turns: done + further, mb: memoryOf(gateway.pid) });
  }
  await stopProcess(gateway);
  return {
    firstReadyMs: readyMs[0],
    readyMs: percentile(readyMs.slice(1), 0.5),
    idleMb,
    warmMb,
    modelMs: percentile(bare, 0.5),
    overheadMs: { p50: percentile(overhead, 0.5), p99: percentile(overhead, 0.99) },
    proxyOverheadMs: { p50: percentile(proxyOverhead, 0.5), p99: percentile(proxyOverhead, 0.99) },
    rates,
    memory,
  };
}

function talking(talker, gateway) {
  return () => talker.turn(gateway);
}

/** The commits of the same turns without the gateway, at each number of sessions. */
async function measureCommits(model) {
  const floors = [];
  for (const sessions of SESSIONS) {
    say(`bare commits of ${sessions} sessions`);
    const turns = RECORDED[sessions];
    const folder = await mkdtemp(join(root, 'commits-'));
    const home = await makeAtriumHome(folder, model.url);
    const database = join(home, '.openclaw', 'atrium', 'atrium.db');
    const first = await startAtrium(home, dist);
    await untilReady(first.readyUrl, first, 20_000);
    await stopProcess(first);
    const before = join(folder, 'before.db');
    await copyFile(database, before);

    const statements = join(folder, 'statements.jsonl');
    const gateway = await startAtrium(home, dist, {
      nodeArgs: ['--import', join(here, 'turn', 'record-statements.mjs')],
      variables: { ATRIUM_BENCH_STATEMENTS: statements },
    });
    await untilReady(gateway.readyUrl, gateway, 20_000);
    await throughput((index) => talking(new Talker(`c${index}`), gateway), sessions, { calls: turns });
    await stopProcess(gateway);
    const { ms, commits, syncs } = await replayStatements(statements, before, join(folder, 'replayed.db'));
    floors.push({
      sessions,
      turnsPerSecond: (turns * 1000) / ms,
      msPerTurn: ms / turns,
      commitsPerTurn: commits / turns,
      syncsPerTurn: syncs / turns,
    });
  }
  return floors;
}

/** One after the other. Says what happened when one cannot be measured. */
async function measurePeers(model, proxy) {
  const peers = [];
  for (const version of PEER_VERSIONS) {
    try {
      say(`installing openclaw ${version}`);
      const place = await mkdtemp(join(root, 'peer-'));
      const folder = flags['peer-folder'] ?? (await installOpenClaw(place, version));
      const home = await makeOpenClawHome(place, model.url);
      const measured = await measure(() => startOpenClaw(home, folder), PEER, model, proxy);
      peers.push({ name: `openclaw ${await versionIn(folder)}`, ...measured });
    } catch (error) {
      peers.push({ name: `openclaw ${version}`, failed: error.message });
    }
  }
  return peers;
}

async function versionIn(folder) {
  return JSON.parse(await readFile(join(folder, 'node_modules', 'openclaw', 'package.json'), 'utf8')).version;
}

function say(what) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what} …`);
}

function print(machine, whole, variants, areas) {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  console.log(
    Object.entries(machine)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  );
  if (whole.atrium) printWhole(whole);
  if (variants) printVariants(variants);
  if (areas) printAreas(areas);
}

function printAreas(areas) {
  console.log(
    'Where the time of a turn goes, in milliseconds of a sampling profile. Waiting for the disk counts as SQLite.',
  );
  console.table(
    areas.map(({ area, ...sums }) => ({
      area,
      ...Object.fromEntries(Object.entries(sums).map(([name, ms]) => [name, round(ms)])),
    })),
  );
}

function printVariants({ plain, silent, long, longSilent, tools, plugins }) {
  const row = (what, { modelMs, overheadMs, cpuMsPerTurn }) => ({
    what,
    'bare call p50, ms': round(modelMs),
    'overhead p50, ms': round(overheadMs.p50),
    'overhead p99, ms': round(overheadMs.p99),
    'added to plain, ms': round(overheadMs.p50 - plain.overheadMs.p50),
    'to plain': round(overheadMs.p50 / plain.overheadMs.p50),
    'CPU ms a turn': round(cpuMsPerTurn),
  });
  console.log('The same turn under other circumstances. The floor of each is the bare call of the same size.');
  console.table([
    row('plain', plain),
    row('without trajectories', silent),
    row(`on top of ${LONG} messages`, long),
    row(`on top of ${LONG} messages, without trajectories`, longSilent),
    row(`with ${MANY} tools more`, tools),
    row(`with ${PLUGINS} plugins, one hook asked`, plugins),
  ]);
  const cost = (on, off) => ({
    'overhead p50, %': percentMore(on.overheadMs.p50, off.overheadMs.p50),
    'CPU, %': percentMore(on.cpuMsPerTurn, off.cpuMsPerTurn),
  });
  console.log('What trajectories cost: with them, against the same without.');
  console.table({ 'short conversation': cost(plain, silent), [`${LONG} messages`]: cost(long, longSilent) });
}

function percentMore(on, off) {
  return round((on / off - 1) * 100);
}

function printWhole({ atrium, commits, peers }) {
  const measured = peers.filter(({ failed }) => failed === undefined);
  // What is said of peers is said against the one that does best.
  const theirs = (value, best) => {
    if (measured.length === 0) return {};
    const values = measured.map((peer) => [peer.name, value(peer)]);
    const numbers = values.map(([, number]) => number);
    const times = best === 'most' ? value(atrium) / Math.max(...numbers) : Math.min(...numbers) / value(atrium);
    return Object.fromEntries([...values, ['times', times]].map(([name, number]) => [name, round(number)]));
  };
  const fact = (what, value, floor) => ({
    what,
    atrium: round(value(atrium)),
    ...(floor === undefined ? {} : { floor: round(floor), 'to the floor': round(value(atrium) / floor) }),
    ...theirs(value, 'least'),
  });
  console.table([
    fact('start to ready, ms', ({ readyMs }) => readyMs),
    fact('first start to ready, ms', ({ firstReadyMs }) => firstReadyMs),
    fact('idle memory, MB', ({ idleMb }) => idleMb),
    fact('warm memory, MB', ({ warmMb }) => warmMb),
  ]);
  console.log('Own overhead of a turn: with the gateway, minus the bare call. The floor is the bare proxy.');
  console.table([
    fact('overhead p50, ms', ({ overheadMs }) => overheadMs.p50, atrium.proxyOverheadMs.p50),
    fact('overhead p99, ms', ({ overheadMs }) => overheadMs.p99, atrium.proxyOverheadMs.p99),
  ]);
  console.log('Turns a second. The floors are the bare proxy, and the bare commits of the same turns.');
  console.table(
    atrium.rates.map(({ sessions, turnsPerSecond, proxyPerSecond, cpuMsPerTurn }, index) => {
      const commit = commits[index];
      return {
        sessions,
        atrium: round(turnsPerSecond),
        proxy: round(proxyPerSecond),
        commits: round(commit.turnsPerSecond),
        'of the proxy': round(turnsPerSecond / proxyPerSecond),
        'of the commits': round(turnsPerSecond / commit.turnsPerSecond),
        'CPU ms a turn': round(cpuMsPerTurn),
        'transactions a turn': round(commit.commitsPerTurn),
        'syncs a turn': round(commit.syncsPerTurn),
        ...theirs(({ rates }) => rates[index].turnsPerSecond, 'most'),
      };
    }),
  );
  console.log('Memory while turns go on; every conversation has twenty turns, and then a new one begins.');
  console.table(atrium.memory.map(({ turns, mb }) => ({ 'after turns': turns, MB: mb })));
  for (const { name, failed } of peers) if (failed) console.log(`${name} could not be measured: ${failed}`);
}

function round(value) {
  return Number(value.toPrecision(3));
}
