import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CodeCachePlaces, readCodeCache, writeCodeCache } from './code-cache.ts';

let root: string;
let places: CodeCachePlaces;
const CODE = new Map([
  ['first', Buffer.from('compiled')],
  ['second', Buffer.alloc(0)],
]);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'atrium-code-'));
  mkdirSync(join(root, 'builds', 'one'), { recursive: true });
  places = { program: join(root, 'builds', 'one'), folders: [join(root, 'code')], key: 'gateway-v1' };
});
afterEach(() => rmSync(root, { recursive: true }));

const file = () => join(root, 'code', readdirSync(join(root, 'code'))[0] ?? '');

it('gives back what was written, from a private file in a private folder', () => {
  expect(writeCodeCache(places, CODE)).toBe(true);
  expect(readCodeCache(places)).toEqual(CODE);
  expect(readCodeCache({ ...places, key: 'gateway-v2' }).size).toBe(0);
});

it('has every piece where V8 can read it without a copy, whatever the length of the others', () => {
  const lengths = fc.array(fc.nat(40), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(lengths, (all) => {
      const code = new Map(all.map((length, index) => [`piece ${index}`, Buffer.alloc(length, index + 1)]));
      writeCodeCache(places, code);
      const read = readCodeCache(places);
      expect(read).toEqual(code);
      for (const bytes of read.values()) expect(bytes.byteOffset % 8).toBe(0);
    }),
  );
});

it('has nothing where there is no cache, and writes where the first folder does not let it', () => {
  expect(readCodeCache(places).size).toBe(0);
  writeFileSync(join(root, 'taken'), 'a file where the folder should be');
  const folders = [join(root, 'taken'), join(root, 'missing', 'deep'), join(root, 'code')];
  expect(writeCodeCache({ ...places, folders }, CODE)).toBe(true);
  expect(readCodeCache({ ...places, folders })).toEqual(CODE);
  expect(writeCodeCache({ ...places, folders: [join(root, 'taken')] }, CODE)).toBe(false);
});

it('takes nothing from a file that is damaged anywhere', () => {
  writeCodeCache(places, CODE);
  const path = file();
  const whole = readFileSync(path);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8((damaged.readUInt8(at) + change) % 256, at);
      writeFileSync(path, damaged);
      return readCodeCache(places).size === 0;
    }),
  );
  fc.assert(
    fc.property(fc.nat(whole.length - 1), (length) => {
      writeFileSync(path, whole.subarray(0, length));
      return readCodeCache(places).size === 0;
    }),
  );
});

it.each([0o620, 0o602, 0o666])('takes nothing from a file that others could have written, mode %o', (mode) => {
  writeCodeCache(places, CODE);
  chmodSync(file(), mode);
  expect(readCodeCache(places).size).toBe(0);
});

it.each([0o770, 0o707, 0o1777])('neither reads nor writes in a folder that others can write in, mode %o', (mode) => {
  writeCodeCache(places, CODE);
  chmodSync(join(root, 'code'), mode);
  expect(readCodeCache(places).size).toBe(0);
  expect(writeCodeCache(places, CODE)).toBe(false);
});

it('follows no link, neither to a file nor to a folder', () => {
  writeCodeCache(places, CODE);
  const folders = [join(root, 'linked')];
  symlinkSync(join(root, 'code'), join(root, 'linked'));
  expect(readCodeCache({ ...places, folders }).size).toBe(0);
  expect(writeCodeCache({ ...places, folders }, CODE)).toBe(false);
  const path = file();
  writeFileSync(join(root, 'elsewhere'), readFileSync(path), { mode: 0o600 });
  rmSync(path);
  symlinkSync(join(root, 'elsewhere'), path);
  expect(readCodeCache(places).size).toBe(0);
});

it.skipIf(process.getuid?.() !== 0)('takes nothing from a file of another user', async () => {
  const { chownSync } = await import('node:fs');
  writeCodeCache(places, CODE);
  chownSync(file(), 12_345, 12_345);
  expect(readCodeCache(places).size).toBe(0);
  // Whoever owns the program could change it anyway.
  chownSync(places.program, 12_345, 12_345);
  expect(readCodeCache(places)).toEqual(CODE);
});

it('removes the caches of builds that are gone, after a day', () => {
  const old = new Date(Date.now() - 48 * 60 * 60 * 1000);
  mkdirSync(join(root, 'code'), { mode: 0o700 });
  for (const name of ['gone-gateway-v1.bin', 'one-command-v1.bin', 'one-gateway-v1.bin.77.new', 'new-gateway-v1.bin']) {
    writeFileSync(join(root, 'code', name), '');
    if (!name.startsWith('new-')) utimesSync(join(root, 'code', name), old, old);
  }
  writeCodeCache(places, CODE);
  expect(readdirSync(join(root, 'code')).sort()).toEqual([
    'new-gateway-v1.bin',
    'one-command-v1.bin',
    'one-gateway-v1.bin',
  ]);
});
