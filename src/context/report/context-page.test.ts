import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ABSENCE_REASONS } from '../composition.ts';
import { PIPELINE } from '../pipeline.ts';

const page = readFileSync(new URL('../../../docs/context.md', import.meta.url), 'utf8');
const firstCells = (heading: string) =>
  [...(page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z-]+)` \|/gm)].map(
    ([, cell]) => cell,
  );

describe('docs/context.md', () => {
  it('names the stages of the pipeline, in their order', () => {
    expect(firstCells('The stages')).toEqual(PIPELINE.map(({ name }) => name));
  });

  it('explains every reason for an absence, and no other', () => {
    expect(firstCells('Why something is absent').sort()).toEqual([...ABSENCE_REASONS].sort());
  });
});
