// What it costs to start: a command that says its version or its help, `atrium status`, and a gateway until it is ready,
// with the memory that it takes when it idles. The floor is a Node process that does nothing. All of them are started in
// turns, round by round, so that a busy machine slows all alike; medians are told, the fastest of each, and the median of
// the ratios to the bare process of the same round.
//
//   npm run bench:start -- [--rounds 15] [--against <dist of another build>] [--dist dist] [--inherit] [--json]
//
// The processes get an environment with next to nothing in it; with --inherit, that of the caller. Some of what is there may cost
// every Node process: with NODE_EXTRA_CA_CERTS, it reads those certificates before anything else.

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeAtriumHome, startAtrium } from './turn/atrium.mjs';
import { percentile } from './turn/load.mjs';
import { killAll, memoryOf, processorTimeOf, stopProcess, untilReady } from './turn/processes.mjs';

const { values: flags } = parseArgs({
  options: {
    against: { type: 'string' },
    dist: { type: 'string', default: 'dist' },
    rounds: { type: 'string', default: '15' },
    inherit: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const rounds = Number(flags.rounds);
/** Without those that would lead it to the home of the caller. */
const VARIABLES = flags.inherit
  ? Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(OPENCLAW|ATRIUM)_/.test(name)))
  : {};
const READY_LIMIT_MS = 60_000;
/** How long a gateway has been ready when its memory is read: what it loads after that, it loads for a message. */
const IDLE_MS = 2_500;
/** A command that is run this often before anything is measured has kept what it keeps for the next time. */
const WARM_UPS = 2;
const NO_MODEL = 'http://127.0.0.1:9';
const COMMANDS = [
  ['version', ['--version']],
  ['help', ['--help']],
  ['status', ['status']],
];

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.once('exit', killAll);

const root = await mkdtemp(join(tmpdir(), 'atrium-bench-start-'));
try {
  const dists = [flags.dist, ...(flags.against === undefined ? [] : [flags.against])].map((dist) => resolve(dist));
  const sides = [];
  for (const [index, dist] of dists.entries()) sides.push(await prepareSide(dist, join(root, String(index))));

  /** One list of samples for each kind of process, by its name: milliseconds until it has ended or is ready. */
  const taken = new Map();
  const keep = (name, ms) => taken.set(name, [...(taken.get(name) ?? []), ms]);
  for (let round = 0; round < rounds; round++) {
    keep('bare', await runToEnd(process.execPath, ['-e', '0'], { home: root }));
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const side of order) {
      for (const [name, argv] of COMMANDS) keep(`${name} ${side.dist}`, await atrium(side, side.homes.talking, argv));
      const gateway = await startAtrium(side.homes.starting, side.dist, { variables: VARIABLES });
      keep(`ready ${side.dist}`, await untilReady(gateway.readyUrl, gateway, READY_LIMIT_MS));
      keep(`cpu ${side.dist}`, processorTimeOf(gateway.pid));
      await stopProcess(gateway);
    }
  }
  const idle = await Promise.all(sides.map(({ gateway }) => memoryOf(gateway.pid)));
  print(dists, taken, idle);
} finally {
  killAll();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

/** A home for the gateway that commands ask, which runs the whole time, and one for those that are started. */
async function prepareSide(dist, folder) {
  const homes = { talking: await makeAtriumHome(join(folder, 'talking'), NO_MODEL) };
  homes.starting = await makeAtriumHome(join(folder, 'starting'), NO_MODEL);
  const side = { dist, homes };
  for (let start = 0; start < WARM_UPS; start++) {
    const gateway = await startAtrium(homes.starting, dist, { variables: VARIABLES });
    await untilReady(gateway.readyUrl, gateway, READY_LIMIT_MS);
    await sleep(IDLE_MS);
    await stopProcess(gateway);
  }
  side.gateway = await startAtrium(homes.talking, dist, { variables: VARIABLES });
  await untilReady(side.gateway.readyUrl, side.gateway, READY_LIMIT_MS);
  for (const [, argv] of COMMANDS) for (let run = 0; run < WARM_UPS; run++) await atrium(side, homes.talking, argv);
  await sleep(IDLE_MS);
  return side;
}

function atrium({ dist }, home, argv) {
  return runToEnd(process.execPath, [join(dist, 'cli', 'main.js'), ...argv], { home });
}

async function runToEnd(command, args, { home }) {
  await mkdir(home, { recursive: true });
  const begun = performance.now();
  const child = spawn(command, args, {
    cwd: home,
    env: { ...VARIABLES, PATH: process.env.PATH, HOME: home, TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (bytes) => (said += bytes));
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${code}:\n${said}`);
  return performance.now() - begun;
}

function print(dists, taken, idle) {
  const bare = taken.get('bare');
  const names = [
    ['version', 'atrium --version, ms'],
    ['help', 'atrium --help, ms'],
    ['status', 'atrium status, ms'],
    ['ready', 'start to ready, ms'],
    ['cpu', 'processor time until ready, ms'],
  ];
  const rows = dists.flatMap((dist, index) => [
    ...names.map(([name, what]) => {
      const samples = taken.get(`${name} ${dist}`);
      return {
        build: dist,
        what,
        median: round(percentile(samples, 0.5)),
        fastest: round(Math.min(...samples)),
        'above bare': round(
          percentile(
            samples.map((ms, at) => ms - bare[at]),
            0.5,
          ),
        ),
        'to bare': round(
          percentile(
            samples.map((ms, at) => ms / bare[at]),
            0.5,
          ),
        ),
      };
    }),
    { build: dist, what: 'idle memory, MB', median: idle[index] },
  ]);
  const floor = { what: 'node -e 0, ms', median: round(percentile(bare, 0.5)), fastest: round(Math.min(...bare)) };
  if (flags.json) return console.log(JSON.stringify([floor, ...rows], null, 2));
  console.log(`${rounds} rounds, everything in turns; load ${loadavg()[0]}; Node ${process.version}`);
  console.table([floor, ...rows]);
}

function round(value) {
  return Number(value.toPrecision(3));
}
