// Two builds beside each other: what a turn, a long conversation and a start cost in each, and the ratio. Both gateways run
// the whole time and are asked in turns, in short rounds, so that a busy machine slows both alike; the ratio of each round
// is taken, and the median of them is told with the spread of the middle half. Processor time is what a gateway used
// itself, so it says most on a machine that has other work.
//
//   npm run bench:compare -- --against <dist of the other build> | --rev REVISION [--rounds 15] [--json]

import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startAtrium } from './turn/atrium.mjs';
import { buildRevision } from './turn/build-revision.mjs';
import { percentile, Talker } from './turn/load.mjs';
import { killAll, memoryOf, processorTimeOf, startServer, stopProcess, untilReady } from './turn/processes.mjs';
import { inRounds, makeSides, openSide, orderOf, READY_LIMIT_MS, ratioOf, takeTurns } from './turn/sides.mjs';

const { values: flags } = parseArgs({
  options: {
    against: { type: 'string' },
    rev: { type: 'string' },
    dist: { type: 'string', default: 'dist' },
    rounds: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
  },
});
if (flags.against === undefined && flags.rev === undefined)
  throw new Error('Name the other build: --against <folder>, or --rev <revision> to build one.');

const here = dirname(fileURLToPath(import.meta.url));
const root = await mkdtemp(join(tmpdir(), 'atrium-bench-compare-'));
const rounds = Number(flags.rounds);
/** After this time, what a gateway does once it is ready is done. */
const SETTLE_MS = 4_000;
const WARM_UPS = 1_500;
/** Turns of a round, by the number of sessions that talk at once. */
const TURNS = { 1: 40, 8: 96, 32: 192 };
const LONG_TURNS = 10;
/** A long conversation is as long as this before it is measured. */
const LONG_BEFORE = 200;

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.once('exit', killAll);

try {
  const model = await startServer(join(here, 'turn', 'instant-model.mjs'));
  const other = flags.rev === undefined ? resolve(flags.against) : await buildRevision(flags.rev, root);
  const sides = await makeSides([resolve(flags.dist), other], { root, model });

  const starts = await measureStarts(sides);
  for (const side of sides) {
    await openSide(side);
    side.long = new Talker('long', Number.POSITIVE_INFINITY);
  }
  // Both have been idle for as long, or the one that waits longer has given more memory back.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  for (const side of sides) side.idleMb = memoryOf(side.gateway.pid);
  for (const side of sides) {
    await takeTurns(side, 8, WARM_UPS);
    for (let turn = 0; turn < LONG_BEFORE; turn++) await side.long.turn(side.gateway);
  }

  const rows = [...starts];
  for (const sessions of [1, 8, 32]) {
    const taken = await inRounds(sides, rounds, (side) => takeTurns(side, sessions, TURNS[sessions]));
    rows.push(row(`processor time of a turn, ${sessions} at once, ms`, taken.cpu));
    rows.push(row(`time of a turn, ${sessions} at once, ms`, taken.wall));
  }
  const long = await inRounds(sides, rounds, async (side) => {
    const cpu = processorTimeOf(side.gateway.pid);
    const samples = [];
    for (let turn = 0; turn < LONG_TURNS; turn++) {
      const begun = performance.now();
      await side.long.turn(side.gateway);
      samples.push(performance.now() - begun);
    }
    return { cpu: (processorTimeOf(side.gateway.pid) - cpu) / LONG_TURNS, wall: percentile(samples, 0.5) };
  });
  rows.push(row(`processor time of a turn on top of ${2 * LONG_BEFORE} messages and more, ms`, long.cpu));
  rows.push(row(`time of a turn on top of ${2 * LONG_BEFORE} messages and more, ms`, long.wall));
  rows.push(row('idle memory, MB', [sides.map(({ idleMb }) => idleMb)]));
  rows.push(row('memory afterwards, MB', [sides.map(({ gateway }) => memoryOf(gateway.pid))]));

  if (flags.json) console.log(JSON.stringify(rows, null, 2));
  else {
    console.log(`${rounds} rounds of each, in turns; load ${loadavg()[0]}`);
    console.table(rows);
  }
} finally {
  killAll();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

async function measureStarts(sides) {
  const cpu = [];
  const wall = [];
  for (let round = -1; round < Math.min(rounds, 9); round++) {
    const taken = [];
    for (const index of orderOf(round)) {
      const { home, dist } = sides[index];
      const gateway = await startAtrium(home, dist);
      const ms = await untilReady(gateway.readyUrl, gateway, READY_LIMIT_MS);
      taken[index] = { cpu: processorTimeOf(gateway.pid), wall: ms };
      await stopProcess(gateway);
    }
    // The first start makes the home.
    if (round < 0) continue;
    cpu.push(taken.map((each) => each.cpu));
    wall.push(taken.map((each) => each.wall));
  }
  return [row('processor time until ready, ms', cpu), row('start to ready, ms', wall)];
}

function row(what, pairs) {
  const { ratio, low, high } = ratioOf(pairs);
  return {
    what,
    'this build': round(
      percentile(
        pairs.map(([ours]) => ours),
        0.5,
      ),
    ),
    'the other': round(
      percentile(
        pairs.map(([, theirs]) => theirs),
        0.5,
      ),
    ),
    ratio: round(ratio),
    'middle half': `${round(low)} to ${round(high)}`,
  };
}

function round(value) {
  return Number(value.toPrecision(3));
}
