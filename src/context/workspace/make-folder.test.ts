import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { makeFolder } from './make-folder.ts';

let root: string;
beforeEach(async () => {
  root = await folderForTest();
});

describe('making a folder', () => {
  it('makes those above it too, all with the mode', async () => {
    await makeFolder(join(root, 'a', 'b', 'c'), 0o700);
    for (const path of ['a', 'a/b', 'a/b/c']) expect((await stat(join(root, path))).mode & 0o777, path).toBe(0o700);
  });

  it('leaves a folder that exists as it is, also behind a link', async () => {
    await mkdir(join(root, 'real', 'below'), { recursive: true });
    await symlink(join(root, 'real'), join(root, 'link'));
    await makeFolder(join(root, 'link'));
    await makeFolder(join(root, 'link', 'below'));
    expect(await readdir(join(root, 'real'))).toEqual(['below']);
  });

  it('refuses where a file or a dead link has the name', async () => {
    await writeFile(join(root, 'file'), '');
    await symlink(join(root, 'nowhere'), join(root, 'dead'));
    await expect(makeFolder(join(root, 'file'))).rejects.toThrow(/EEXIST/);
    await expect(makeFolder(join(root, 'file', 'below'))).rejects.toThrow(/ENOTDIR/);
    await expect(makeFolder(join(root, 'dead', 'below'))).rejects.toThrow(/ENOENT/);
  });

  it.skipIf(process.platform !== 'linux')(
    'refuses where no folder can be made, instead of trying for ever',
    async () => {
      await expect(makeFolder('/proc/nope')).rejects.toThrow(/ENOENT/);
      await expect(makeFolder('/proc/nope/below')).rejects.toThrow(/ENOENT/);
    },
  );

  it('can be done by several at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => makeFolder(join(root, 'x', 'y', 'z'))));
    expect(await readdir(join(root, 'x', 'y'))).toEqual(['z']);
  });
});
