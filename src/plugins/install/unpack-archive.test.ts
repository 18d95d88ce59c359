import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create, Header } from 'tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScratchPackages } from './fixtures/scratch-packages.ts';
import { unpackArchive } from './unpack-archive.ts';

let packages: ScratchPackages;
beforeEach(async () => {
  packages = await ScratchPackages.create();
  await mkdir(packages.path('scratch'));
});
afterEach(() => packages.remove());

const unpack = (archive: string) =>
  unpackArchive({ archive, into: packages.path('out'), scratchDir: packages.path('scratch') });

interface Entry {
  readonly path: string;
  readonly type?: 'File' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'FIFO';
  readonly linkpath?: string;
  readonly text?: string;
  readonly size?: number;
}

/** An archive that no tool would write. */
async function forge(entries: readonly Entry[]): Promise<string> {
  const blocks = entries.flatMap(({ path, type = 'File', linkpath = '', text = '', size = text.length }) => {
    const header = new Header({ path, type, linkpath, size, mode: 0o644, uid: 0, gid: 0, mtime: new Date(0) });
    const block = Buffer.alloc(512);
    header.encode(block, 0);
    const body = Buffer.alloc(Math.ceil(text.length / 512) * 512);
    body.write(text);
    return [block, body];
  });
  const file = packages.path('forged.tgz');
  await writeFile(file, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])));
  return file;
}

describe('an archive', () => {
  it('is unpacked without its one folder, for this user alone', async () => {
    const dir = await packages.write('good', { 'package.json': '{}', 'bin/run.sh': '#!/bin/sh', 'a/b/c.txt': 'deep' });
    await chmod(join(dir, 'bin/run.sh'), 0o4755);
    await unpack(await packages.pack('good'));
    expect((await readdir(packages.path('out'))).sort()).toEqual(['a', 'bin', 'package.json']);
    expect(await readFile(packages.path('out/a/b/c.txt'), 'utf8')).toBe('deep');
    const modes = await Promise.all(
      ['out/a', 'out/package.json', 'out/bin/run.sh'].map(
        async (path) => (await stat(packages.path(path))).mode & 0o7777,
      ),
    );
    expect(modes).toEqual([0o700, 0o600, 0o700]);
  });

  it('keeps its top when there is more than one folder, and need not be compressed', async () => {
    await packages.write('plain', { 'package.json': '{}', 'src/index.js': '' });
    const file = packages.path('plain.tar');
    await create({ file, cwd: packages.path('plain') }, ['package.json', 'src']);
    await unpack(file);
    expect((await readdir(packages.path('out'))).sort()).toEqual(['package.json', 'src']);
  });

  it.each<[string, readonly Entry[], RegExp]>([
    ['a path upward', [{ path: 'package/../../escaped', text: 'x' }], /leads out of the archive/],
    ['an absolute path', [{ path: '/tmp/escaped', text: 'x' }], /is an absolute path/],
    ['a path of another system', [{ path: 'package\\..\\escaped', text: 'x' }], /characters that no name should have/],
    ['a drive', [{ path: 'c:/escaped', text: 'x' }], /is an absolute path/],
    ['a link', [{ path: 'package/link', type: 'SymbolicLink', linkpath: '/etc' }], /but a SymbolicLink/],
    [
      'a file through a link',
      [
        { path: 'package/link', type: 'SymbolicLink', linkpath: '..' },
        { path: 'package/link/escaped', text: 'x' },
      ],
      /but a SymbolicLink/,
    ],
    ['a hard link', [{ path: 'package/link', type: 'Link', linkpath: '/etc/passwd' }], /but a Link/],
    ['a device', [{ path: 'package/null', type: 'CharacterDevice' }], /but a CharacterDevice/],
    ['a pipe', [{ path: 'package/pipe', type: 'FIFO' }], /but a FIFO/],
    [
      'a file that is too large',
      [{ path: 'package/huge', size: 70 * 1024 * 1024 }],
      /larger than 64 MB|cannot be read/,
    ],
    ['nothing', [], /cannot be read/],
  ])('with %s is refused, and nothing is written', async (_, entries, problem) => {
    const archive = await forge([{ path: 'package/good', text: 'x' }, ...entries].slice(entries.length === 0 ? 1 : 0));
    await expect(unpack(archive)).rejects.toThrow(problem);
    await expect(readdir(packages.path('out'))).rejects.toThrow();
    expect((await readdir(packages.dir)).sort()).toEqual(['forged.tgz', 'scratch']);
  });

  it('that becomes endless is refused before it fills the disk', async () => {
    const archive = packages.path('bomb.tgz');
    await writeFile(archive, gzipSync(Buffer.alloc(3 * 1024 * 1024)));
    const limits = { files: 10, bytes: 1024 * 1024, fileBytes: 1024, depth: 5 };
    const request = { archive, into: packages.path('out'), scratchDir: packages.path('scratch'), limits };
    await expect(unpackArchive(request)).rejects.toThrow(/too large when it is unpacked/);
    expect((await stat(packages.path('scratch/archive.tar'))).size).toBeLessThan(1.2 * 1024 * 1024);
  });

  it('with too many files, or files too deep, is refused', async () => {
    const many = await forge(Array.from({ length: 11 }, (_, index) => ({ path: `package/${index}` })));
    const limits = { files: 10, bytes: 1024 * 1024, fileBytes: 1024, depth: 5 };
    const request = { into: packages.path('out'), scratchDir: packages.path('scratch'), limits };
    await expect(unpackArchive({ ...request, archive: many })).rejects.toThrow(/more than 10 files/);
    await mkdir(packages.path('scratch2'));
    const deep = await forge([{ path: 'package/1/2/3/4/5/6' }]);
    await expect(unpackArchive({ ...request, scratchDir: packages.path('scratch2'), archive: deep })).rejects.toThrow(
      /deeper than 5 folders/,
    );
  });

  it('that is none is refused with what is wrong', async () => {
    const file = packages.path('none.tgz');
    await writeFile(file, Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.from('not really')]));
    await expect(unpack(file)).rejects.toMatchObject({ code: 'ATRIUM_INSTALL_ARCHIVE' });
  });
});
