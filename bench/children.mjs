// What many children cost the others: one session hands over a hundred tasks at once, and meanwhile somebody else talks to
// the same gateway, one turn after the other. The turns are compared with turns of the same run while nothing else
// happens, and memory is looked at all the while. The gateway and the model have a process each.
//
//   npm run bench:children -- [--json] [--children 100] [--rounds 3] [--work 6] [--dist <folder of another build>]

import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeAtriumHome, startAtrium } from './turn/atrium.mjs';
import { ask, percentile, Talker } from './turn/load.mjs';
import { killAll, memoryOf, processorTimeOf, startServer, stopProcess, untilReady } from './turn/processes.mjs';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    children: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
    work: { type: 'string', default: '6' },
    dist: { type: 'string', default: 'dist' },
  },
});
const children = Number(flags.children);
const rounds = Number(flags.rounds);
const workMs = Number(flags.work) * 1_000;

const IDLE_TURNS = 300;
const WARM_UPS = 200;
/** How often the memory and the children are looked at, also while nothing else happens: looking costs something too. */
const LOOK_MS = 1_000;

const here = dirname(fileURLToPath(import.meta.url));
const root = await mkdtemp(join(tmpdir(), 'atrium-bench-children-'));

process.once('SIGINT', () => process.exit(130));
process.once('exit', killAll);

try {
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, 'load before': loadavg()[0] };
  const measured = await measure();
  machine['load after'] = loadavg()[0];
  if (flags.json) console.log(JSON.stringify({ machine, ...measured }, null, 2));
  else print(machine, measured);
} finally {
  killAll();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

async function measure() {
  const model = await startServer(join(here, 'children', 'busy-model.mjs'), String(workMs));
  const subagents = { maxChildrenPerAgent: children, maxConcurrent: children };
  const home = await makeAtriumHome(root, model.url, {
    agents: { defaults: { model: 'bench/instant', maxConcurrent: 32, subagents } },
  });
  const gateway = await startAtrium(home, resolve(flags.dist));
  await untilReady(gateway.readyUrl, gateway, 20_000);
  const other = new Talker('other');
  await turnsOf(other, gateway, { count: WARM_UPS });
  const idleMb = memoryOf(gateway.pid);
  const idle = await idleTurns(gateway, other);
  const busy = [];
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round}`);
    busy.push(await measureRound(gateway, other, `parent-${round}`));
  }
  const idleAgain = await idleTurns(gateway, other);
  await sleep(1_500);
  const afterMb = memoryOf(gateway.pid);
  await stopProcess(gateway);
  const turns = busy.flatMap((round) => round.turns);
  return {
    children,
    idle: summary([...idle, ...idleAgain]),
    busy: summary(turns),
    ratio: percentile(turns, 0.99) / percentile([...idle, ...idleAgain], 0.99),
    rounds: busy.map(({ turns: some, ...round }) => ({ ...round, ...summary(some) })),
    memory: { idleMb, peakMb: Math.max(...busy.map(({ peakMb }) => peakMb)), afterMb },
  };
}

async function idleTurns(gateway, other) {
  const timer = setInterval(() => {
    memoryOf(gateway.pid);
    void activeChildren(gateway);
  }, LOOK_MS);
  try {
    return await turnsOf(other, gateway, { count: IDLE_TURNS });
  } finally {
    clearInterval(timer);
  }
}

/** From the call that hands the tasks over until the parent has read every result. */
async function measureRound(gateway, other, user) {
  const begun = performance.now();
  const cpu = processorTimeOf(gateway.pid);
  const memory = [memoryOf(gateway.pid)];
  const timer = setInterval(() => memory.push(memoryOf(gateway.pid)), LOOK_MS);
  let isOver = false;
  let handedOverMs;
  let mostAtOnce = 0;
  const parent = (async () => {
    await tell(gateway, user, `Hand over ${children} tasks.`);
    handedOverMs = performance.now() - begun;
    for (;;) {
      const active = await activeChildren(gateway);
      mostAtOnce = Math.max(mostAtOnce, active);
      if (active === 0) break;
      await sleep(LOOK_MS);
    }
    // What the parent is told now comes after all results.
    await tell(gateway, user, 'Are all of them done?');
  })().finally(() => {
    isOver = true;
  });
  const turns = await turnsOf(other, gateway, { until: () => isOver });
  await parent;
  clearInterval(timer);
  await sleep(1_000);
  return {
    turns,
    handedOverMs,
    mostAtOnce,
    wholeMs: performance.now() - begun - 1_000,
    cpuMs: processorTimeOf(gateway.pid) - cpu,
    peakMb: Math.max(...memory),
    afterMb: memoryOf(gateway.pid),
  };
}

async function turnsOf(talker, gateway, { count = Number.POSITIVE_INFINITY, until = () => false }) {
  const samples = [];
  while (samples.length < count && !until()) {
    const started = performance.now();
    await talker.turn(gateway);
    samples.push(performance.now() - started);
  }
  return samples;
}

function tell({ url, token }, user, content) {
  return ask(url, { model: 'openclaw', user, messages: [{ role: 'user', content }] }, token);
}

async function activeChildren({ url, token }) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/subagents?active=true&limit=500`, { headers });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()).subagents.length;
}

function summary(samples) {
  return { count: samples.length, p50: percentile(samples, 0.5), p99: percentile(samples, 0.99) };
}

function say(what) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what} …`);
}

function print(machine, { idle, busy, ratio, rounds: told, memory }) {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  console.log(
    Object.entries(machine)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  );
  console.log(`A turn of another session, while nothing else happens and while ${children} children work.`);
  console.table([
    { when: 'idle', turns: idle.count, 'p50, ms': round(idle.p50), 'p99, ms': round(idle.p99) },
    { when: 'busy', turns: busy.count, 'p50, ms': round(busy.p50), 'p99, ms': round(busy.p99) },
    { when: 'busy to idle', 'p50, ms': round(busy.p50 / idle.p50), 'p99, ms': round(ratio) },
  ]);
  console.table(
    told.map((each) => ({
      'at once': each.mostAtOnce,
      'handed over, ms': round(each.handedOverMs),
      'until all are read, ms': round(each.wholeMs),
      'CPU ms a child': round(each.cpuMs / children),
      'p99, ms': round(each.p99),
      'peak MB': each.peakMb,
      'after MB': each.afterMb,
    })),
  );
  console.log(`Memory: ${memory.idleMb} MB before, ${memory.peakMb} MB at most, ${memory.afterMb} MB afterwards.`);
}

function round(value) {
  return Number(value.toPrecision(3));
}
