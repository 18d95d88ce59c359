// Whether a turn has become slower: this build beside the build of a baseline revision, which `bench/baseline.txt` names and
// which is moved forward on purpose. It fails when a turn takes more than a quarter more processor time than there. Both
// are measured in the same minute, so no time is stored, and a slow machine is no reason to fail. A ratio that looks too
// high is measured again with more rounds before it counts.
//
//   npm run bench:check -- [--rev REVISION] [--against <folder of a build>] [--dist <folder>]

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildRevision } from './turn/build-revision.mjs';
import { killAll, startServer } from './turn/processes.mjs';
import { inRounds, makeSides, openSide, ratioOf, takeTurns } from './turn/sides.mjs';

const { values: flags } = parseArgs({
  options: { rev: { type: 'string' }, against: { type: 'string' }, dist: { type: 'string', default: 'dist' } },
});
const here = dirname(fileURLToPath(import.meta.url));
const MOST = 1.25;
const WARM_UPS = 480;
/** A first try is short. It can only pass; what looks too slow is measured again, until it is sure or the rounds are over. */
const ROUNDS = [6, 10, 16];
const KINDS = [
  { sessions: 1, turns: 24 },
  { sessions: 16, turns: 64 },
];

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.once('exit', killAll);

const root = await mkdtemp(join(tmpdir(), 'atrium-bench-check-'));
try {
  const revision = flags.rev ?? (await readFile(join(here, 'baseline.txt'), 'utf8')).trim();
  const other = flags.against === undefined ? await buildRevision(revision, root) : resolve(flags.against);
  const model = await startServer(join(here, 'turn', 'instant-model.mjs'));
  const sides = await makeSides([resolve(flags.dist), other], { root, model });
  for (const side of sides) await openSide(side);
  await inRounds(sides, WARM_UPS / 80, (side) => takeTurns(side, 8, 80));
  const verdicts = [];
  for (const kind of KINDS) verdicts.push(await judge(sides, kind));
  console.log(`Compared with ${flags.against ?? revision}, at a load of ${loadavg()[0].toFixed(1)}.`);
  for (const { sessions, ratio, low, high, rounds, waited } of verdicts)
    console.log(
      `processor time of a turn, ${sessions} at once: ${ratio.toFixed(2)} of the baseline (${low.toFixed(2)} to ${high.toFixed(2)}, ${rounds} rounds); time: ${waited.toFixed(2)}`,
    );
  if (verdicts.some(({ ratio }) => ratio > MOST)) {
    console.log(
      `A turn takes more than ${MOST} times as much. If that is meant, name this revision in bench/baseline.txt.`,
    );
    process.exitCode = 1;
  }
} finally {
  killAll();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

async function judge(sides, { sessions, turns }) {
  const pairs = [];
  const waits = [];
  for (const rounds of ROUNDS) {
    const taken = await inRounds(sides, rounds, (side) => takeTurns(side, sessions, turns));
    pairs.push(...taken.cpu);
    waits.push(...taken.wall);
    const { ratio, low } = ratioOf(pairs);
    if (ratio <= MOST || (low > MOST && rounds > ROUNDS[0])) break;
  }
  return { sessions, rounds: pairs.length, ...ratioOf(pairs), waited: ratioOf(waits).ratio };
}
