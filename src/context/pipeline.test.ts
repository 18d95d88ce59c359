import { expect, it } from 'vitest';
import { PIPELINE } from './pipeline.ts';

it('reads downward as what happens to a workspace', () => {
  expect(PIPELINE.map(({ name }) => name)).toEqual([
    'load',
    'select',
    'filter',
    'handlers',
    'settle',
    'select',
    'filter',
    'lift',
    'budget',
    'render',
  ]);
});

it('has a sentence about every stage', () => {
  for (const { summary } of PIPELINE) expect(summary).toMatch(/^[a-z].+[^.]$/);
});
