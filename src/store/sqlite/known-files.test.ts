import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { KnownFiles } from './known-files.ts';

/** Above the grain of the times of a folder on the file systems that tests run on. */
const MARK_MS = 50;

let dir: string;
let paths: string[];
beforeEach(async () => {
  dir = join(await folderForTest(), 'store');
  await mkdir(dir);
  paths = ['a', 'b'].map((name) => join(dir, name));
  for (const path of paths) await writeFile(path, path);
});

/** Files that were looked at while their folder rested, so that the next look is at the folder alone. */
async function rested(): Promise<KnownFiles> {
  const known = new KnownFiles(paths, { coarsestMarkMs: MARK_MS });
  await sleep(4 * MARK_MS);
  expect([known.findLost(), known.findLost()]).toEqual([undefined, undefined]);
  return known;
}

describe('files in a folder that has rested', () => {
  it('are found lost when one is removed, and found again when it is back', async () => {
    const known = await rested();
    await rename(join(dir, 'b'), join(dir, 'elsewhere'));
    expect([known.findLost(), known.findLost()]).toEqual([paths[1], paths[1]]);
    await rename(join(dir, 'elsewhere'), join(dir, 'b'));
    expect(known.findLost()).toBeUndefined();
  });

  it('are found lost when one is replaced in one step', async () => {
    await writeFile(join(dir, 'copy'), 'copy');
    const known = await rested();
    await rename(join(dir, 'copy'), join(dir, 'a'));
    expect(known.findLost()).toBe(paths[0]);
  });

  it('are found lost when the whole folder is removed, or another one stands in its place', async () => {
    const known = await rested();
    await rename(dir, `${dir}.away`);
    expect(known.findLost()).toBe(paths[0]);
    await mkdir(dir);
    for (const path of paths) await writeFile(path, path);
    expect(known.findLost()).toBe(paths[0]);
    await rm(dir, { recursive: true });
    await rename(`${dir}.away`, dir);
    expect(known.findLost()).toBeUndefined();
  });

  it('are found lost when one is a link and what it leads to is removed in another folder', async () => {
    const target = `${dir}.disk`;
    await writeFile(target, 'far');
    await rm(join(dir, 'a'));
    await symlink(target, join(dir, 'a'));
    const known = await rested();
    await rm(target);
    expect(known.findLost()).toBe(paths[0]);
  });
});
