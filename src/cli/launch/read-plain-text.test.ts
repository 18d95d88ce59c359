import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readPlainText } from './read-plain-text.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'atrium-text-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it.each([0, 1, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 300_000])('reads all of %i letters', (length) => {
  const file = join(root, 'text.js');
  writeFileSync(file, Buffer.from(Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) % 256)));
  const text = readPlainText(file);
  expect(text.length).toBe(length);
  expect(text === readFileSync(file, 'latin1')).toBe(true);
});

it('puts something before and behind it', () => {
  const file = join(root, 'text.js');
  writeFileSync(file, 'return 1;');
  expect(readPlainText(file, { before: '(function () { ', behind: '\n})' })).toBe('(function () { return 1;\n})');
});

it('says what is wrong with a file that is not there', () => {
  expect(() => readPlainText(join(root, 'missing.js'))).toThrow('ENOENT');
});
