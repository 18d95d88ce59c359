// What recording costs: three gateways that run the whole time and are asked in turns, in short rounds: one as it is, one with
// `recorder.enabled: false`, and one of a copy of the build that keeps no requests either. The ratio of the processor time of
// each round is taken; the median of them is told with the spread of the middle half. Some of the recording is done behind the
// turns, while a gateway has nothing else to do; the last two columns compare all processor time, that included.
//
//   npm run bench:recorder -- [--rounds 31] [--turns 96] [--behind 12] [--json] [--limit 1.1]
//
// With --limit, it ends with 1 when even the lower quarter of the ratios of everything to nothing is above it.

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
    rounds: { type: 'string', default: '31' },
    turns: { type: 'string', default: '96' },
    'warm-ups': { type: 'string', default: '800' },
    behind: { type: 'string', default: '12' },
    dist: { type: 'string', default: 'dist' },
    limit: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [rounds, turns, warmUps] = [flags.rounds, flags.turns, flags['warm-ups']].map(Number);
if (![rounds, turns, warmUps].every((number) => Number.isInteger(number) && number > 0))
  throw new Error('--rounds, --turns and --warm-ups are whole numbers above 0.');

/** By then a gateway that is left alone has done what it does behind the turns. */
const behindMs = 1_000 * Number(flags.behind);

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
  const sides = await makeSides([dist, dist, bare], { root, model, settings: [{}, off, off] });
  for (const side of sides) await openSide(side);
  for (const side of sides) await takeTurns(side, 8, warmUps);
  // What is done behind these turns must not be counted to those that are measured.
  await sleep(behindMs);
  const rows = [];
  for (const sessions of [1, 8]) {
    const cpu = [];
    const before = sides.map(({ gateway }) => processorTimeOf(gateway.pid));
    for (let round = 0; round < rounds; round++) {
      const taken = [];
      for (const index of orderOf(round)) taken[index] = (await takeTurns(sides[index], sessions, turns)).cpu;
      cpu.push(taken);
    }
    await sleep(behindMs);
    const whole = sides.map(({ gateway }, index) => processorTimeOf(gateway.pid) - before[index]);
    const median = (side) =>
      percentile(
        cpu.map((taken) => taken[side]),
        0.5,
      );
    const between = (left, right) => ratioOf(cpu.map((taken) => [taken[left], taken[right]]));
    const { ratio, low, high } = between(0, 2);
    rows.push({
      sessions,
      'everything, ms': median(0),
      'requests only, ms': median(1),
      'nothing, ms': median(2),
      ratio,
      low,
      high,
      'requests only / nothing': between(1, 2).ratio,
      'everything / requests only': between(0, 1).ratio,
      'all time, everything / nothing': whole[0] / whole[2],
      'all time, everything / requests only': whole[0] / whole[1],
    });
  }
  if (flags.json) console.log(JSON.stringify({ rounds, turns, load: loadavg()[0], rows }, null, 2));
  else {
    console.log(
      `Processor time of a turn; ${rounds} rounds of ${turns} turns of each gateway, in turns; load ${loadavg()[0]}`,
    );
    console.table(
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, Number(v.toFixed(3))]))),
    );
  }
  if (flags.limit !== undefined && rows.some(({ low }) => low > Number(flags.limit))) process.exitCode = 1;
} finally {
  killAll();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

/** Each gateway comes first, second and last equally often, and in both directions. */
function orderOf(round) {
  const first = round % 3;
  const order = [first, (first + 1) % 3, (first + 2) % 3];
  return round % 2 === 0 ? order : order.toReversed();
}
