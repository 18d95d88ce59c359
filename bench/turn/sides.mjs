// Two builds beside each other: a gateway of each, asked in turns and in short rounds, so that a busy machine slows both
// alike. Processor time is what a gateway used itself, so it says most on a machine that has other work.

import { join } from 'node:path';
import { makeAtriumHome, startAtrium } from './atrium.mjs';
import { percentile, Talker, throughput } from './load.mjs';
import { processorTimeOf, untilReady } from './processes.mjs';

export const READY_LIMIT_MS = 60_000;

/** `settings` has what the configuration of each side says besides. */
export async function makeSides(builds, { root, model, settings = [] }) {
  const sides = [];
  for (const [index, dist] of builds.entries())
    sides.push({ dist, home: await makeAtriumHome(join(root, String(index)), model.url, settings[index]) });
  return sides;
}

export async function openSide(side) {
  side.gateway = await startAtrium(side.home, side.dist);
  await untilReady(side.gateway.readyUrl, side.gateway, READY_LIMIT_MS);
  side.talkers = Array.from({ length: 32 }, (_, index) => new Talker(`c${index}`));
}

/** Milliseconds of processor time and of waiting, for a turn. */
export async function takeTurns({ gateway, talkers }, sessions, calls) {
  const cpu = processorTimeOf(gateway.pid);
  const samples = [];
  const talking = (index) => async () => {
    const begun = performance.now();
    await talkers[index].turn(gateway);
    samples.push(performance.now() - begun);
  };
  await throughput(talking, sessions, { calls });
  return { cpu: (processorTimeOf(gateway.pid) - cpu) / calls, wall: percentile(samples, 0.5) };
}

/** Pairs of what each side took. The order changes with every round, so that neither side always comes after the other. */
export async function inRounds(sides, rounds, measure) {
  const cpu = [];
  const wall = [];
  for (let round = 0; round < rounds; round++) {
    const taken = [];
    for (const index of orderOf(round)) taken[index] = await measure(sides[index]);
    cpu.push(taken.map((each) => each.cpu));
    wall.push(taken.map((each) => each.wall));
  }
  return { cpu, wall };
}

/** The order changes with every round, so that neither side always comes after the other. */
export function orderOf(round) {
  return round % 2 === 0 ? [0, 1] : [1, 0];
}

/** The median of the ratios of all rounds, and the spread of the middle half. */
export function ratioOf(pairs) {
  const ratios = pairs.map(([ours, theirs]) => ours / theirs);
  return { ratio: percentile(ratios, 0.5), low: percentile(ratios, 0.25), high: percentile(ratios, 0.75) };
}
