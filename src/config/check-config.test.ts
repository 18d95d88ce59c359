import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ScratchHome } from '../testkit/scratch-home.ts';
import { openConfigCheck } from './check-config.ts';
import { isKnownSetting } from './validate-config.ts';

let home: ScratchHome;
let file: string;
const CONFIG = { gateway: { port: 4711, prot: 1 }, agents: { list: [{ id: 'main', nonsense: 1 }] }, more: { a: [1] } };
const WRITTEN = CONFIG;

beforeEach(async () => {
  home = await ScratchHome.create({});
  file = join(home.stateDir, 'atrium', 'checked-config.json');
  await mkdir(join(home.stateDir, 'atrium'), { recursive: true });
});
afterEach(() => home.remove());

async function check(program: string | undefined, value: unknown = CONFIG) {
  const { sections, check } = await openConfigCheck(home.stateDir, program);
  const checked = await check(value, value);
  return { sections, ...checked };
}

it('answers from what was kept in the same way as the schema, for the same program', async () => {
  const fresh = await check('one');
  expect(fresh.unknownKeys).toContainEqual({ path: ['gateway', 'prot'], suggestion: 'port' });
  const kept = await check('one');
  expect(kept.isKnownSetting).not.toBe(isKnownSetting);
  expect({ ...kept, isKnownSetting }).toEqual({ ...fresh, isKnownSetting });
  for (const path of [
    ['gateway'],
    ['gateway', 'port'],
    ['gateway', 'prot'],
    ['agents', 'list', 0, 'id'],
    ['more', 'a', 0],
  ])
    expect({ path, isKnown: kept.isKnownSetting(path) }).toEqual({ path, isKnown: isKnownSetting(path) });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('asks the schema again for another configuration and for another program', async () => {
  await check('one');
  expect((await check('two')).isKnownSetting).toBe(isKnownSetting);
  await check('one');
  const changed = { ...CONFIG, gateway: { port: 'many' } };
  expect((await check('one', changed)).faults).toHaveLength(1);
  // A configuration with faults is not kept, and the one before it still is.
  expect((await check('one', changed)).faults).toHaveLength(1);
  expect((await check('one')).isKnownSetting).not.toBe(isKnownSetting);
  const { check: ask } = await openConfigCheck(home.stateDir, 'one');
  expect((await ask(CONFIG, { ...WRITTEN, gateway: {} })).isKnownSetting).toBe(isKnownSetting);
});

it('asks the schema when what was kept is damaged', async () => {
  await check('one');
  const whole = await readFile(file, 'utf8');
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 2), async (at) => {
      await writeFile(file, whole.slice(0, at) + (whole[at] === 'x' ? 'y' : 'x') + whole.slice(at + 1));
      return (await check('one')).isKnownSetting === isKnownSetting;
    }),
    { numRuns: 20 },
  );
  await writeFile(file, whole.replace('"known":[', '"known":["[\\"more\\"]",'));
  expect((await check('one')).isKnownSetting).toBe(isKnownSetting);
});

it('keeps nothing where there is no state of a gateway, or where the program runs from its sources', async () => {
  await check(undefined);
  await expect(stat(file)).rejects.toThrow('ENOENT');
  const { check: ask } = await openConfigCheck(join(home.stateDir, 'none'), 'one');
  await ask(CONFIG, WRITTEN);
  await expect(stat(join(home.stateDir, 'none'))).rejects.toThrow('ENOENT');
});
