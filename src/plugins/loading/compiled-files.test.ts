import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { CompiledFiles } from './compiled-files.ts';

let root: string;
beforeEach(async () => {
  root = await folderForTest();
});

describe('compiled files', () => {
  it('are found again, also by later loads, and kept privately', async () => {
    const dir = join(root, 'cache', 'code');
    const files = new CompiledFiles(dir);
    expect(files.find('a', [1])).toBeUndefined();
    expect(files.put('a', [1], 'compiled 1')).toBe('compiled 1');
    expect(files.find('a', [1])).toBe('compiled 1');
    expect(new CompiledFiles(dir).find('a', [1])).toBe('compiled 1');
    expect([files.find('a', [2]), files.find('b', [1])]).toEqual([undefined, undefined]);
    const [name = ''] = await readdir(dir);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
    expect((await readdir(dir)).filter((file) => file.endsWith('.tmp'))).toEqual([]);
  });

  it('do without a folder that cannot be written', async () => {
    await writeFile(join(root, 'file'), '');
    const files = new CompiledFiles(join(root, 'file', 'dir'));
    files.put('a', [], 'code');
    expect(files.find('a', [])).toBe('code');
  });
});
