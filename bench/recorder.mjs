// What recording costs: the same build twice, with the recorder and with `recorder.enabled: false`, both running the whole
// time and asked in turns, in short rounds. The ratio of the processor time of each round is taken; the median of them is
// told with the spread of the middle half. Requests are stored on both sides, because runs are taken up from them.
//
//   npm run bench:recorder -- [--rounds 31] [--turns 96] [--json] [--limit 1.1]
//
// With --limit, it ends with 1 when even the lower quarter of the ratios is above it.

import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { percentile } from './turn/load.mjs';
import { killAll, startServer } from './turn/processes.mjs';
import { inRounds, makeSides, openSide, ratioOf, takeTurns } from './turn/sides.mjs';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '31' },
    turns: { type: 'string', default: '96' },
    'warm-ups': { type: 'string', default: '800' },
    dist: { type: 'string', default: 'dist' },
    limit: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [rounds, turns, warmUps] = [flags.rounds, flags.turns, flags['warm-ups']].map(Number);
if (![rounds, turns, warmUps].every((number) => Number.isInteger(number) && number > 0))
  throw new Error('--rounds, --turns and --warm-ups are whole numbers above 0.');

const here = dirname(fileURLToPath(import.meta.url));
const root = await mkdtemp(join(tmpdir(), 'atrium-bench-recorder-'));
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.once('exit', killAll);

try {
  const model = await startServer(join(here, 'turn', 'instant-model.mjs'));
  const dist = resolve(flags.dist);
  const sides = await makeSides([dist, dist], { root, model, settings: [{}, { recorder: { enabled: false } }] });
  for (const side of sides) await openSide(side);
  for (const side of sides) await takeTurns(side, 8, warmUps);
  const rows = [];
  for (const sessions of [1, 8]) {
    const { cpu } = await inRounds(sides, rounds, (side) => takeTurns(side, sessions, turns));
    const { ratio, low, high } = ratioOf(cpu);
    const median = (side) =>
      percentile(
        cpu.map((pair) => pair[side]),
        0.5,
      );
    rows.push({ sessions, 'recorded, ms': median(0), 'not recorded, ms': median(1), ratio, low, high });
  }
  if (flags.json) console.log(JSON.stringify({ rounds, turns, load: loadavg()[0], rows }, null, 2));
  else {
    console.log(
      `Processor time of a turn; ${rounds} rounds of ${turns} turns of each side, in turns; load ${loadavg()[0]}`,
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
