// The registry is one on loopback, and npm is the real one.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readEnvironment } from '../config/environment.ts';
import { NpmRegistry } from '../plugins/install/fixtures/npm-registry.ts';
import { VERSION } from '../protocol/version.ts';
import { CliHome } from './fixtures/cli-home.ts';
import { compareVersions } from './update.ts';

let home: CliHome;
let registry: NpmRegistry;
beforeEach(async () => {
  home = await CliHome.create();
  registry = await NpmRegistry.start();
});
afterEach(async () => {
  await registry.close();
  await home.remove();
});

const { PATH } = readEnvironment().variables;
const update = (...flags: readonly string[]) =>
  home.run(['update', ...flags], { env: { PATH, npm_config_registry: registry.url } });

async function publish(version: string): Promise<void> {
  const archive = join(home.home, 'atrium.tgz');
  await writeFile(archive, '');
  await registry.publish({ name: 'atrium', version }, archive);
}

it('says how to update and asks nobody until it is told to', async () => {
  await publish('99.0.0');
  const { code, out } = await update();
  expect(code).toBe(0);
  expect(out).toContain(`This is Atrium ${VERSION}.`);
  expect(out).toContain('git pull && npm ci');
  expect(registry.asked).toEqual([]);
});

it('names a newer version of the registry that npm uses', async () => {
  await publish('99.0.0');
  const { code, out } = await update('--check');
  expect({ code, first: out.split('\n')[0] }).toEqual({
    code: 1,
    first: `Atrium 99.0.0 is there; this is ${VERSION}.`,
  });
  expect(new Set(registry.asked)).toEqual(new Set(['atrium']));
  expect(await home.runJson(['update', '--check'], { env: { PATH, npm_config_registry: registry.url } })).toMatchObject(
    {
      current: VERSION,
      latest: '99.0.0',
      isNewer: true,
    },
  );
});

it('says that this is the newest', async () => {
  await publish(VERSION);
  expect(await update('--check')).toMatchObject({
    code: 0,
    out: `This is Atrium ${VERSION}, and the registry has nothing newer (${VERSION}).\n`,
  });
});

it('refuses in one sentence without npm, and when the registry has no such package', async () => {
  const { code, err } = await update('--check');
  expect({ code, isOne: err.startsWith('atrium: npm could not ask the registry') }).toEqual({ code: 2, isOne: true });
  const empty = join(home.home, 'empty');
  await mkdir(empty);
  const without = await home.run(['update', '--check'], { env: { PATH: empty } });
  expect(without.code).toBe(2);
  expect(without.err).toContain('The program "npm" was not found');
});

it.each([
  ['1.2.3', '1.2.3', 0],
  ['1.10.0', '1.9.9', 1],
  ['2.0.0', '10.0.0', -1],
  ['1.0.0', '1.0.0-beta.1', 1],
  ['1.0.0-beta.2', '1.0.0-beta.10', -1],
])('%s against %s', (a, b, order) => {
  expect(Math.sign(compareVersions(a, b))).toBe(order);
});

it('says in one sentence that the registry cannot be reached', async () => {
  const url = registry.url;
  await registry.close();
  const env = { PATH, npm_config_registry: url, npm_config_fetch_retries: '0' };
  const { code, err } = await home.run(['update', '--check'], { env });
  expect(code).toBe(2);
  expect(err).toBe(
    'atrium: npm could not ask the registry for the newest version: its registry cannot be reached (ECONNREFUSED). Is this machine online, and is the proxy of npm right?\n',
  );
  registry = await NpmRegistry.start();
});
