import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPENCLAW_KEYS, OPENCLAW_VARIABLES } from '../src/config/openclaw-keys.ts';
import { generateKeyDocs, KEYS_PAGE } from './openclaw-key-docs.ts';

it('docs/openclaw-keys.md is what the table says; "npm run docs:keys" writes it', () => {
  expect(readFileSync(KEYS_PAGE, 'utf8')).toBe(generateKeyDocs());
});

it('names every row once, and no sentence breaks its table', () => {
  const page = generateKeyDocs();
  const rows = [...OPENCLAW_KEYS, ...OPENCLAW_VARIABLES];
  const tables = page.split('\n').filter((line) => line.startsWith('| `'));
  for (const { path } of rows) {
    expect(
      tables.filter((line) => line.split(' | ')[0]?.includes(`\`${path}\``)),
      path,
    ).toHaveLength(1);
  }
  expect(rows.filter((row) => 'sentence' in row && row.sentence.includes('|'))).toEqual([]);
});
