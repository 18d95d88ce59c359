// Runs functions in turns, a batch of each at a time, and gives the microseconds of one call of each. Batches, because a
// single call is too short for the clock; and of those the tenth percentile, because what is slower than the fastest is
// mostly the doing of others on the machine. With `--short`, one round is all, which says only that the benchmark works.

export const isShort = process.argv.includes('--short');

export async function inTurns(functions, { pause, ...many } = {}) {
  const { rounds, warmUps, batch } = isShort ? SHORT : { ...LONG, ...many };
  const samples = functions.map(() => []);
  for (let round = -warmUps; round < rounds; round++) {
    for (const [index, call] of functions.entries()) {
      const started = performance.now();
      for (let count = 0; count < batch; count++) await call();
      const us = ((performance.now() - started) / batch) * 1_000;
      if (round >= 0) samples[index].push(us);
      await pause?.();
    }
  }
  return samples.map((times) => times.sort((a, b) => a - b)[Math.floor(times.length / 10)]);
}

const LONG = { rounds: 300, warmUps: 100, batch: 50 };
const SHORT = { rounds: 1, warmUps: 0, batch: 2 };

export function round(value) {
  return Number(value.toPrecision(3));
}
