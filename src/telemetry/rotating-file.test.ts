import { chmod, readdir, readFile, rename, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { RotatingFile } from './rotating-file.ts';

async function opened(maxBytes = 100) {
  const dir = await folderForTest();
  const file = path.join(dir, 'logs', 'atrium.log');
  let at = 0;
  const rotating = new RotatingFile({ file, maxBytes, now: () => at });
  return { dir: path.dirname(file), file, rotating, wait: (ms: number) => (at += ms) };
}

it('a line is in the file when the call returns, and only its owner can read it', async () => {
  const { file, rotating, dir } = await opened();
  rotating.append('one\n');
  expect(await readFile(file, 'utf8')).toBe('one\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
});

it('no file becomes larger than the limit, and four old ones are kept', async () => {
  const { dir, rotating } = await opened(10);
  for (let n = 0; n < 20; n++) rotating.append(`${String(n).padStart(4, '0')}\n`);
  expect((await readdir(dir)).sort()).toEqual([
    'atrium.log',
    'atrium.log.1',
    'atrium.log.2',
    'atrium.log.3',
    'atrium.log.4',
  ]);
  const texts = await Promise.all(
    ['.4', '.3', '.2', '.1', ''].map((end) => readFile(path.join(dir, `atrium.log${end}`), 'utf8')),
  );
  expect(texts.join('')).toBe(Array.from({ length: 10 }, (_, n) => `${String(n + 10).padStart(4, '0')}\n`).join(''));
  expect(texts.every((text) => text.length <= 10)).toBe(true);
});

it('a line that is longer than the limit is written whole, into a file of its own', async () => {
  const { file, rotating } = await opened(10);
  rotating.append('a\n');
  rotating.append('a line that is far too long\n');
  rotating.append('b\n');
  expect(await readFile(`${file}.1`, 'utf8')).toBe('a line that is far too long\n');
  expect(await readFile(file, 'utf8')).toBe('b\n');
});

it('goes on behind what an earlier process wrote, and makes an open file private', async () => {
  const { file, rotating } = await opened();
  rotating.append('one\n');
  rotating.close();
  await chmod(file, 0o644);
  rotating.append('two\n');
  expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('notices within a second that another program moved or removed the file', async () => {
  const { file, rotating, wait } = await opened();
  rotating.append('one\n');
  await rename(file, `${file}.moved`);
  wait(1_000);
  rotating.append('two\n');
  expect(await readFile(file, 'utf8')).toBe('two\n');
  await unlink(file);
  wait(1_000);
  rotating.append('three\n');
  expect(await readFile(file, 'utf8')).toBe('three\n');
});

it('does not follow a link', async () => {
  const { dir, file, rotating } = await opened();
  rotating.append('one\n');
  rotating.close();
  await unlink(file);
  const target = path.join(dir, 'target');
  await writeFile(target, '');
  await symlink(target, file);
  expect(() => rotating.append('two\n')).toThrow(/ELOOP/);
  expect(await readFile(target, 'utf8')).toBe('');
});
