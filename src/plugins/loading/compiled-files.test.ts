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
  it('are compiled once, also for whoever comes later, and kept privately', async () => {
    const dir = join(root, 'cache', 'code');
    let compiled = 0;
    const compile = () => `compiled ${++compiled}`;
    const files = new CompiledFiles(dir);
    expect(files.get('a', [1], compile)).toBe('compiled 1');
    expect(new CompiledFiles(dir).get('a', [1], compile)).toBe('compiled 1');
    expect(files.get('a', [2], compile)).toBe('compiled 2');
    expect(files.get('b', [1], compile)).toBe('compiled 3');
    const [name = ''] = await readdir(dir);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
    expect((await readdir(dir)).filter((file) => file.endsWith('.tmp'))).toEqual([]);
  });

  it('do without a folder that cannot be written', async () => {
    await writeFile(join(root, 'file'), '');
    expect(new CompiledFiles(join(root, 'file', 'dir')).get('a', [], () => 'code')).toBe('code');
  });
});
