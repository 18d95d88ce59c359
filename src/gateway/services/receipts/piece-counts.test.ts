import { expect, it } from 'vitest';
import { PieceCounts } from './piece-counts.ts';

it('counts words of files for each state of the sources, and all other words once', () => {
  const counts = new PieceCounts((piece) => piece === 7);
  for (const [piece, sources] of [
    [7, 100],
    [7, 100],
    [7, 200],
    [8, 100],
    [8, 200],
    [-1, 300],
  ] as const)
    counts.add(piece, sources);

  expect(counts.list()).toEqual([
    { piece: 8, sources: undefined, runs: 2 },
    { piece: -1, sources: undefined, runs: 1 },
    { piece: 7, sources: 100, runs: 2 },
    { piece: 7, sources: 200, runs: 1 },
  ]);
  expect(counts.sources).toEqual([100, 200]);
});
