import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyFolder } from './copy-folder.ts';
import { ScratchPackages } from './fixtures/scratch-packages.ts';

let packages: ScratchPackages;
let folder: string;
beforeEach(async () => {
  packages = await ScratchPackages.create();
  folder = await packages.write('folder', { 'index.js': 'main', 'src/a.js': 'a' });
});
afterEach(() => packages.remove());

const copy = () => copyFolder(folder, packages.path('out'));

describe('the folder of a package', () => {
  it('is copied without its history and its dependencies', async () => {
    await packages.write('folder', { '.git/HEAD': 'x', 'node_modules/dep/index.js': 'x', 'src/node_modules/x': 'x' });
    await copy();
    expect((await readdir(packages.path('out'), { recursive: true })).sort()).toEqual(['index.js', 'src', 'src/a.js']);
    expect((await lstat(packages.path('out/index.js'))).mode & 0o777).toBe(0o600);
  });

  it('may link to its own files, which are copied', async () => {
    await symlink('src/a.js', join(folder, 'linked.js'));
    await copy();
    expect((await lstat(packages.path('out/linked.js'))).isFile()).toBe(true);
    expect(await readFile(packages.path('out/linked.js'), 'utf8')).toBe('a');
  });

  it('may itself be reached through a link', async () => {
    await symlink(folder, packages.path('link'));
    await copyFolder(packages.path('link'), packages.path('out'));
    expect((await readdir(packages.path('out'))).sort()).toEqual(['index.js', 'src']);
  });

  it('is refused when a link leads out of it, to a folder, or nowhere', async () => {
    await writeFile(packages.path('secret'), 'secret');
    await mkdir(packages.path('elsewhere'));
    const links = { '../secret': /leads out/, '../elsewhere': /leads out/, '.': /neither a file/, gone: /nowhere/ };
    for (const [index, [target, problem]] of Object.entries(links).entries()) {
      folder = await packages.write(`folder-${index}`, { 'index.js': 'main' });
      await symlink(target, join(folder, 'link'));
      await expect(copyFolder(folder, packages.path(`out-${index}`))).rejects.toThrow(problem);
    }
  });

  it('is refused when it has a pipe, which would never end', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await expect(copy()).rejects.toThrow(/"pipe" is neither a file nor a folder/);
  });

  it('is refused when there is too much of it', async () => {
    const limits = { files: 2, bytes: 100, fileBytes: 50, depth: 5 };
    await expect(copyFolder(folder, packages.path('out'), limits)).rejects.toThrow(/more than 2 files/);
    await packages.write('folder', { 'aaa.js': 'x'.repeat(51) });
    await expect(copyFolder(folder, packages.path('out2'), limits)).rejects.toThrow(/aaa\.js is larger/);
  });
});
