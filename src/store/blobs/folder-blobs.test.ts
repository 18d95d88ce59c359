import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { StoreFailedError, StoreReadOnlyError } from '../errors.ts';
import { hashOf } from './blob-store.ts';
import { describeBlobStore } from './blob-suite.ts';
import { FolderBlobs } from './folder-blobs.ts';
import { takeOverBlobs } from './take-over-blobs.ts';

const makeDir = async (path: string) => void (await mkdir(path, { recursive: true, mode: 0o700 }));

describeBlobStore('a folder', async () => {
  const home = await mkdtemp(join(tmpdir(), 'atrium-blobs-'));
  const dir = join(home, 'blobs');
  return {
    open: async () => new FolderBlobs({ dir, makeDir }),
    damage: (hash) => writeFile(join(dir, hash), 'something else'),
    destroy: () => rm(home, { recursive: true, force: true }),
  };
});

it('a folder of blobs and its files are private, and nothing is made before the first blob', async () => {
  const dir = join(await folderForTest(), 'blobs');
  const blobs = new FolderBlobs({ dir, makeDir });
  expect(await blobs.sweep(1)).toBe(0);
  await expect(readdir(dir)).rejects.toThrow();
  const bytes = randomBytes(10);
  await blobs.put(hashOf(bytes), bytes, 1);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
  expect((await stat(join(dir, hashOf(bytes)))).mode & 0o777).toBe(0o600);
});

it('a folder of blobs is swept of what a crash left half written, and of nothing else', async () => {
  const dir = join(await folderForTest(), 'blobs');
  const blobs = new FolderBlobs({ dir, makeDir });
  const bytes = randomBytes(10);
  await blobs.put(hashOf(bytes), bytes, 1_000);
  for (const [name, seconds] of [
    ['.half.tmp', 1],
    ['.fresh.tmp', 100],
  ] as const) {
    await writeFile(join(dir, name), 'half');
    await utimes(join(dir, name), seconds, seconds);
  }
  expect(await blobs.sweep(50_000)).toBe(1);
  expect((await readdir(dir)).sort()).toEqual(['.fresh.tmp', hashOf(bytes)].sort());
});

it('a folder that cannot be written refuses with the sentence of the store', async () => {
  const home = await folderForTest();
  const bytes = randomBytes(10);
  await writeFile(join(home, 'file'), '');
  const inFile = new FolderBlobs({ dir: join(home, 'file', 'blobs'), makeDir });
  await expect(inFile.put(hashOf(bytes), bytes, 1)).rejects.toThrow(StoreFailedError);
  if (process.getuid?.() === 0) return;
  await mkdir(join(home, 'locked'));
  await chmod(join(home, 'locked'), 0o500);
  const locked = new FolderBlobs({ dir: join(home, 'locked', 'blobs'), makeDir });
  await expect(locked.put(hashOf(bytes), bytes, 1)).rejects.toThrow(StoreReadOnlyError);
});

it('blobs are taken over once, with their time; damaged ones and others stay', async () => {
  const home = await folderForTest();
  const [from, to] = ['from', 'to'].map((name) => new FolderBlobs({ dir: join(home, name), makeDir }));
  if (!from || !to) throw new Error('There are two folders.');
  const blobs = [randomBytes(5), randomBytes(6), randomBytes(7)] as const;
  const [moved, damaged, unwanted] = blobs.map(hashOf) as [string, string, string];
  for (const bytes of blobs) await from.put(hashOf(bytes), bytes, 3_000);
  await writeFile(join(home, 'from', damaged), 'something else');
  await utimes(join(home, 'from', damaged), 3, 3);
  const wanted = async () => new Set([moved, damaged]);
  expect(await takeOverBlobs({ from, to, wanted })).toBe(1);
  expect(await takeOverBlobs({ from, to, wanted })).toBe(0);
  expect(await to.read(moved)).toEqual(blobs[0]);
  for await (const { putAt } of to.list()) expect(putAt).toBe(3_000);
  expect([await from.has(moved), await from.has(damaged), await from.has(unwanted)]).toEqual([false, true, true]);
});
