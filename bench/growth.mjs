// Whether a gateway slows down as a home fills up: what a start, a turn and `atrium sessions list` cost in an empty home, in
// one with a tenth of the data, and in a full one: 10,000 sessions, 1,000,000 transcript rows, 800 files, 600 agents. All
// three are measured in turns, so that a busy machine slows them alike; medians are told, and the full home as a ratio to
// the empty one.
//
//   npm run bench:growth -- [--rounds 7] [--dist dist] [--json]

import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeFilledHome } from './growth/filled-home.mjs';
import { startAtrium } from './turn/atrium.mjs';
import { percentile, Talker } from './turn/load.mjs';
import { killAll, memoryOf, processorTimeOf, startServer, stopProcess, untilReady } from './turn/processes.mjs';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    dist: { type: 'string', default: 'dist' },
    json: { type: 'boolean', default: false },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const dist = resolve(flags.dist);
const rounds = Number(flags.rounds);
const READY_LIMIT_MS = 120_000;
const WARM_UPS = 120;
const TURNS = 20;
const SIZES = [
  { name: 'empty', sessions: 0, rows: 0, files: 0, agents: 0 },
  { name: 'a tenth', sessions: 1_000, rows: 100_000, files: 80, agents: 60 },
  { name: 'full', sessions: 10_000, rows: 1_000_000, files: 800, agents: 600 },
];

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.once('exit', killAll);

const root = await mkdtemp(join(tmpdir(), 'atrium-bench-growth-'));
try {
  const model = await startServer(join(here, 'turn', 'instant-model.mjs'));
  const homes = [];
  for (const size of SIZES) {
    say(`filling: ${size.name}`);
    const home = await makeFilledHome(join(root, String(homes.length)), model.url, dist, size);
    const { size: bytes } = await stat(join(home, '.openclaw', 'atrium', 'atrium.db'));
    homes.push({ home, samples: new Map([['store, MB', [bytes / 2 ** 20]]]) });
  }

  for (let round = -1; round < rounds; round++) {
    say(`start ${round + 1}`);
    for (const each of homes) {
      const gateway = await startAtrium(each.home, dist);
      const ms = await untilReady(gateway.readyUrl, gateway, READY_LIMIT_MS);
      const cpu = processorTimeOf(gateway.pid);
      // Whichever comes first in the last round goes on; the others are stopped.
      if (round === rounds - 1) each.gateway = gateway;
      else await stopProcess(gateway);
      // The first start checks the configuration, and keeps the result.
      if (round < 0) continue;
      keep(each, 'start to ready, ms', ms);
      keep(each, 'processor time until ready, ms', cpu);
    }
  }
  for (const each of homes) {
    say('warming up');
    each.talker = new Talker('growth');
    for (let turn = 0; turn < WARM_UPS; turn++) await each.talker.turn(each.gateway);
    await sessionsList(each.home);
  }
  for (let round = 0; round < rounds; round++) {
    say(`turns ${round + 1}`);
    for (const each of homes) {
      const cpu = processorTimeOf(each.gateway.pid);
      for (let turn = 0; turn < TURNS; turn++) {
        const begun = performance.now();
        await each.talker.turn(each.gateway);
        keep(each, 'a turn, ms', performance.now() - begun);
      }
      keep(each, 'processor time of a turn, ms', (processorTimeOf(each.gateway.pid) - cpu) / TURNS);
      const before = processorTimeOf(each.gateway.pid);
      keep(each, '`sessions list`, ms', await sessionsList(each.home));
      keep(each, '`sessions list`, processor time of the gateway, ms', processorTimeOf(each.gateway.pid) - before);
    }
  }
  for (const each of homes) keep(each, 'memory, MB', memoryOf(each.gateway.pid));
  print(homes);
} finally {
  killAll();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

function keep({ samples }, what, value) {
  samples.set(what, [...(samples.get(what) ?? []), value]);
}

async function sessionsList(home) {
  const begun = performance.now();
  const child = spawn(process.execPath, [join(dist, 'cli', 'main.js'), 'sessions', 'list'], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (bytes) => (said += bytes));
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0) throw new Error(`atrium sessions list ended with ${code}:\n${said}`);
  return performance.now() - begun;
}

function print(homes) {
  const names = [...homes[0].samples.keys()];
  const rows = names.map((what) => {
    const medians = homes.map(({ samples }) => round(percentile(samples.get(what), 0.5)));
    const named = Object.fromEntries(SIZES.map(({ name }, index) => [name, medians[index]]));
    return { what, ...named, 'full to empty': round(medians.at(-1) / medians[0]) };
  });
  if (flags.json) return console.log(JSON.stringify(rows, null, 2));
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const { sessions, rows: entries, files, agents } = SIZES.at(-1);
  console.log(`Full: ${sessions} sessions, ${entries} transcript rows, ${files} files, ${agents} agents.`);
  console.log(`${rounds} rounds, in turns; load ${loadavg()[0]}; Node ${process.version}`);
  console.table(rows);
}

function say(what) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what} …`);
}

function round(value) {
  return Number(value.toPrecision(3));
}
