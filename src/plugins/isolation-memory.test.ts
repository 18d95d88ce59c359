import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ScratchHomePlugins } from './fixtures/scratch-home-plugins.ts';
import { IsolationMemory } from './isolation-memory.ts';

let home: ScratchHomePlugins;
beforeEach(async () => {
  home = await ScratchHomePlugins.create();
});
afterEach(() => home.remove());

const ROUTES = { integrity: 'sha256-a', needsInline: ['an HTTP route'] };

it('remembers across restarts, in a private file', async () => {
  const memory = new IsolationMemory(home.stateDir);
  expect(await memory.find('a')).toBeUndefined();
  await Promise.all(['a', 'b', 'c'].map((id) => memory.remember(id, ROUTES)));
  await memory.forget('b');
  const later = new IsolationMemory(home.stateDir);
  expect([await later.find('a'), await later.find('b'), await later.find('c')]).toEqual([ROUTES, undefined, ROUTES]);
  const dir = join(home.stateDir, 'plugins');
  expect(await readdir(dir)).toEqual(['isolation.json']);
  expect((await stat(join(dir, 'isolation.json'))).mode & 0o777).toBe(0o600);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
});

it('knows nothing from a file that is broken, and writes a new one', async () => {
  await new IsolationMemory(home.stateDir).remember('a', ROUTES);
  await writeFile(join(home.stateDir, 'plugins/isolation.json'), '{"a": {"integrity": 5}, ');
  const memory = new IsolationMemory(home.stateDir);
  expect(await memory.find('a')).toBeUndefined();
  await memory.remember('b', ROUTES);
  expect(await new IsolationMemory(home.stateDir).find('b')).toEqual(ROUTES);
});

it('goes on when it cannot write', async () => {
  await home.write({ state: 'a file where the folder should be' });
  const memory = new IsolationMemory(home.stateDir);
  await memory.remember('a', ROUTES);
  expect(await memory.find('a')).toEqual(ROUTES);
});
