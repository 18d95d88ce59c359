// The command `npm run replay:check -- --runs N [--seed S]`: records talks of every kind with both protocols, then composes
// every run again from its record. Exits 0 when each run whose inputs are kept gives the same bytes, 1 when one does not, 2
// when it could not be found out.

import { parseArgs } from 'node:util';
import { MODEL_PROTOCOLS } from '../src/protocol/model-protocol.ts';
import { countReplays, formatReplays } from './count-replays.ts';
import { recordTalks } from './recorded-talks.ts';
import { runTrial, seedOf, wholeNumberOf } from './trial.ts';

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } });
  const runs = wholeNumberOf(values.runs ?? '1000', '--runs');
  const seed = seedOf(values.seed);
  process.stdout.write(`${runs} runs with seed ${seed}\n`);
  let differing = 0;
  for (const protocol of MODEL_PROTOCOLS) {
    const scratch = await recordTalks({ runs: Math.ceil(runs / MODEL_PROTOCOLS.length), seed, protocol });
    try {
      const began = performance.now();
      const counts = await countReplays(scratch.store);
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      process.stdout.write(`${protocol}, replayed in ${seconds} s\n${formatReplays(counts)}`);
      differing += counts.differing.length;
    } finally {
      await scratch.close();
    }
  }
  return differing === 0 ? 0 : 1;
}

await runTrial(main);
// A gateway that could not be opened may leave its model server behind.
process.exit();
