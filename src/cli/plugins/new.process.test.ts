import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAtrium } from '../../testkit/atrium-process.ts';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

const inHome = (path: string) => join(home.home, path);

describe('atrium plugins new', () => {
  it('writes a plugin whose test passes, and fails when the plugin is broken', async () => {
    const { code, out } = await home.run(['plugins', 'new', 'tea-time']);
    expect(code).toBe(0);
    for (const name of [
      'package.json',
      'openclaw.plugin.json',
      'index.ts',
      'index.test.ts',
      'tsconfig.json',
      'README.md',
    ]) {
      expect(out).toContain(inHome(`tea-time/${name}`));
    }
    const passed = await runAtrium(['plugins', 'test', './tea-time'], { home: home.home });
    expect(passed.out + passed.err).toMatch(/pass 3/);
    expect(passed.code).toBe(0);

    // The plugin's own module can be looked at as well.
    const unit = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import entry from '../index.ts';
test('has an id', () => assert.equal(entry.id, 'tea-time'));
`;
    await writeFile(inHome('tea-time/unit.test.ts'), unit);
    const entry = inHome('tea-time/index.ts');
    await writeFile(entry, (await readFile(entry, 'utf8')).replace('params.name}!', 'params.name}?'));
    const broken = await runAtrium(['plugins', 'test', './tea-time'], { home: home.home });
    expect(broken.out).toMatch(/pass 3/);
    expect(broken.out).toMatch(/fail 1/);
    expect(broken.code).toBe(1);
  }, 90_000);

  it('writes a plugin that can be installed as it is', async () => {
    await home.run(['plugins', 'new', 'tea-time', '--dir', 'somewhere/else']);
    const { code, out } = await home.run(['plugins', 'install', './somewhere/else', '--yes']);
    expect(code).toBe(0);
    expect(out).toContain('nothing of what the scan knows is mentioned');
  });

  it('never overwrites, and refuses what is no id with one that would do', async () => {
    await home.run(['plugins', 'new', 'greeter']);
    await writeFile(inHome('greeter/index.ts'), 'mine');
    const again = await home.run(['plugins', 'new', 'greeter']);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('exists already and is left as it is')]);
    expect(await readFile(inHome('greeter/index.ts'), 'utf8')).toBe('mine');
    const odd = await home.run(['plugins', 'new', '../My Plugin']);
    expect([odd.code, odd.err]).toEqual([2, expect.stringMatching(/For example: my-plugin\n$/)]);
  });
});

describe('atrium plugins test', () => {
  it('says when there is nothing to run', async () => {
    await home.write('empty/index.js', '');
    const { code, err } = await home.run(['plugins', 'test', home.path('empty')]);
    expect([code, err]).toEqual([2, expect.stringContaining('There are no tests in')]);
  });
});
