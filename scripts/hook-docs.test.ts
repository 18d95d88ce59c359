import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generateHookDocs, replacePart } from './hook-docs.ts';

it('what the docs say of hooks is what the code says; "npm run docs:hooks" writes it', () => {
  for (const part of generateHookDocs()) {
    const written = readFileSync(part.file, 'utf8');
    expect(replacePart(written, part), part.mark).toBe(written);
  }
});

it('says so when the marks of a part are gone', () => {
  expect(() => replacePart('# Hooks\n', { file: 'hooks.md', mark: 'hook tables', text: '' })).toThrow(
    'hooks.md has no part between "<!-- hook tables: npm run docs:hooks -->"',
  );
});
