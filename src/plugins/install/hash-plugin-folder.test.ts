import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScratchPackages } from './fixtures/scratch-packages.ts';
import { hashPluginFolder } from './hash-plugin-folder.ts';

let packages: ScratchPackages;
let dir: string;
let before: string;
beforeEach(async () => {
  packages = await ScratchPackages.create();
  const list = { 'node_modules/.package-lock.json': '{"packages":{}}', 'node_modules/dep/index.js': 'dep' };
  dir = await packages.write('plugin', { 'index.js': 'main', 'src/a.js': 'a', ...list });
  before = await hashPluginFolder(dir);
});
afterEach(() => packages.remove());

const current = () => hashPluginFolder(dir);

describe('the hash of a plugin', () => {
  it('stays when nothing changes', async () => {
    expect(before).toMatch(/^sha256-[\w+/]{43}=$/);
    expect(await current()).toBe(before);
  });

  it('changes with the content, the name and the number of files', async () => {
    await packages.write('plugin', { 'src/a.js': 'b' });
    const edited = await current();
    await rename(join(dir, 'src/a.js'), join(dir, 'src/b.js'));
    const renamed = await current();
    await packages.write('plugin', { 'src/empty': '' });
    expect(new Set([before, edited, renamed, await current()]).size).toBe(4);
  });

  it('changes with the versions of its dependencies, not with their files', async () => {
    await packages.write('plugin', { 'node_modules/dep/index.js': 'other' });
    expect(await current()).toBe(before);
    await packages.write('plugin', { 'node_modules/.package-lock.json': '{"packages":{"node_modules/dep":{}}}' });
    expect(await current()).not.toBe(before);
  });
});
