import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { pruneTrajectories } from './prune-trajectories.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

let dir: string;
beforeEach(async () => {
  dir = await folderForTest();
});

async function file(name: string, daysAgo: number): Promise<void> {
  await writeFile(path.join(dir, name), '{}\n');
  const at = new Date(NOW - daysAgo * DAY);
  await utimes(path.join(dir, name), at, at);
}

it('removes trajectories that are too old or too many, and nothing else', async () => {
  for (const [name, daysAgo] of [
    ['ses_a.jsonl', 1],
    ['ses_b.jsonl', 2],
    ['ses_c.jsonl', 3],
    ['ses_d.jsonl', 90],
    ['notes.txt', 900],
    ['a b.jsonl', 900],
  ] as const) {
    await file(name, daysAgo);
  }
  await mkdir(path.join(dir, 'folder.jsonl'));
  expect(await pruneTrajectories(dir, { maxAgeMs: 30 * DAY, maxFiles: 2, now: NOW })).toBe(2);
  expect((await readdir(dir)).sort()).toEqual(['a b.jsonl', 'folder.jsonl', 'notes.txt', 'ses_a.jsonl', 'ses_b.jsonl']);
});

it('makes room with the oldest, and keeps the file of a run that is open', async () => {
  for (const [name, daysAgo] of [
    ['ses_a.jsonl', 1],
    ['ses_b.jsonl', 2],
    ['ses_c.jsonl', 3],
  ] as const) {
    await file(name, daysAgo);
  }
  const keep = new Set([path.join(dir, 'ses_c.jsonl')]);
  const limits = { maxBytes: 3, maxFiles: 10, keep, now: NOW };
  expect(await pruneTrajectories(dir, { ...limits, isDryRun: true })).toBe(1);
  expect(await pruneTrajectories(dir, limits)).toBe(1);
  expect((await readdir(dir)).sort()).toEqual(['ses_a.jsonl', 'ses_c.jsonl']);
});

it('has nothing to do where there is no folder', async () => {
  expect(await pruneTrajectories(path.join(dir, 'none'), { maxAgeMs: 0, maxFiles: 0, now: NOW })).toBe(0);
});
