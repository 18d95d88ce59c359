// What recording costs: gateways of three kinds that run the whole time and are asked in turns, in short rounds: as they are, with
// `recorder.enabled: false`, and of a copy of the build that keeps no requests either. Gateways of the same kind differ, because of
// what V8 happened to compile, so there are several of each kind, and what all of a kind took together is compared: the ratio of
// each round, of which the median is told with the spread of the middle half. Some of the recording is done behind the turns, while
// a gateway has nothing else to do; the rows with all time compare all processor time, that included.
//
//   npm run bench:recorder -- [--gateways 2] [--rounds 15] [--turns 96] [--warm-ups 8000] [--behind 65] [--json] [--limit 1.1]
//
// With --limit, it ends with 1 when the ratio of everything to requests only, in all processor time, is above it.

import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildWithoutCaptures } from './turn/build-without-captures.mjs';
import { percentile } from './turn/load.mjs';
import { killAll, processorTimeOf, startServer } from './turn/processes.mjs';
import { makeSides, openSide, ratioOf, takeTurns } from './turn/sides.mjs';

const { values: flags } = parseArgs({
  options: {
    gateways: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '15' },
    turns: { type: 'string', default: '96' },
    'warm-ups': { type: 'string', default: '8000' },
    behind: { type: 'string', default: '65' },
    dist: { type: 'string', default: 'dist' },
    limit: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [gateways, rounds, turns, warmUps] = [flags.gateways, flags.rounds, flags.turns, flags['warm-ups']].map(Number);
if (![gateways, rounds, turns, warmUps].every((number) => Number.isInteger(number) && number > 0))
  throw new Error('--gateways, --rounds, --turns and --warm-ups are whole numbers above 0.');

/** By then a gateway that is left alone has done what it does behind the turns; the index of receipts gathers runs for a minute. */
const behindMs = 1_000 * Number(flags.behind);
/** Between the parts of the warm-up. */
const PAUSE_MS = 5_000;
const WARM_UP_PARTS = 4;

const here = dirname(fileURLToPath(import.meta.url));
const root = await mkdtemp(join(tmpdir(), 'atrium-bench-recorder-'));
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.once('exit', killAll);

try {
  const model = await startServer(join(here, 'turn', 'instant-model.mjs'));
  const dist = resolve(flags.dist);
  const bare = await buildWithoutCaptures(dist, join(root, 'bare'));
  const off = { recorder: { enabled: false } };
  const kinds = [
    { name: 'everything', dist, settings: {} },
    { name: 'requests only', dist, settings: off },
    { name: 'nothing', dist: bare, settings: off },
  ];
  // One of each kind after the other, so that what belongs to an earlier or a later place belongs to all kinds alike.
  const all = Array.from({ length: gateways }, () => kinds).flat();
  const places = all.map((kind) => kind.dist);
  const sides = await makeSides(places, { root, model, settings: all.map(({ settings }) => settings) });
  const sidesOf = (kind) => sides.filter((_, index) => index % kinds.length === kind);
  for (const side of sides) await openSide(side);
  // V8 goes on compiling for thousands of turns, in threads of its own, also what works behind the turns; none of that may be
  // counted to the turns that are measured.
  for (let part = 0; part < WARM_UP_PARTS; part++) {
    await Promise.all(sides.map((side) => takeTurns(side, 8, Math.ceil(warmUps / WARM_UP_PARTS))));
    await sleep(PAUSE_MS);
  }
  await sleep(behindMs);

  const rows = [];
  for (const sessions of [1, 8]) {
    const taken = sides.map(() => []);
    const before = sides.map(({ gateway }) => processorTimeOf(gateway.pid));
    for (let round = 0; round < rounds; round++)
      for (const index of orderOf(round, sides.length))
        taken[index].push((await takeTurns(sides[index], sessions, turns)).cpu);
    await sleep(behindMs);
    const whole = sides.map(({ gateway }, index) => processorTimeOf(gateway.pid) - before[index]);
    const together = (kind, of) => sum(sidesOf(kind).map((side) => of(sides.indexOf(side))));
    const inTurns = (left, right) =>
      ratioOf(
        Array.from({ length: rounds }, (_, round) =>
          [left, right].map((kind) => together(kind, (at) => taken[at][round])),
        ),
      );
    const allTime = (left, right) => together(left, (at) => whole[at]) / together(right, (at) => whole[at]);
    rows.push({
      sessions,
      ...Object.fromEntries(
        kinds.map(({ name }, kind) => [`${name}, ms`, together(kind, (at) => percentile(taken[at], 0.5)) / gateways]),
      ),
      'everything / nothing': inTurns(0, 2),
      'requests only / nothing': inTurns(1, 2),
      'everything / requests only': inTurns(0, 1),
      'all time, everything / nothing': allTime(0, 2),
      'all time, everything / requests only': allTime(0, 1),
      'all time, each with its neighbour': sidesOf(0).map(
        (_, at) => whole[kinds.length * at] / whole[kinds.length * at + 1],
      ),
    });
  }
  if (flags.json) console.log(JSON.stringify({ gateways, rounds, turns, load: loadavg()[0], rows }, null, 2));
  else {
    console.log(
      `Processor time of a turn; ${gateways} gateways of each kind, ${rounds} rounds of ${turns} turns of each, in turns; load ${loadavg()[0]}`,
    );
    for (const row of rows)
      console.table(Object.fromEntries(Object.entries(row).map(([what, value]) => [what, shown(value)])));
  }
  const limit = flags.limit === undefined ? Number.POSITIVE_INFINITY : Number(flags.limit);
  if (rows.some((row) => row['all time, everything / requests only'] > limit)) process.exitCode = 1;
} finally {
  killAll();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

/** Each gateway comes first, later and last about equally often, and in both directions. */
function orderOf(round, count) {
  const shift = Math.floor(round / 2);
  const order = Array.from({ length: count }, (_, index) => (index + shift) % count);
  return round % 2 === 0 ? order : order.toReversed();
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function shown(value) {
  const number = (of) => String(Number(of.toFixed(3)));
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return value.map(number).join(', ');
  return `${number(value.ratio)} (${number(value.low)} to ${number(value.high)})`;
}
