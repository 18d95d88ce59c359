import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { bundleProgram } from './bundle-program.ts';
import { StateLockedError } from './errors.ts';
import { acquireStateLock, isStateLocked, readOwner } from './state-lock.ts';

const TRY_TO_OWN = `
  import { acquireStateLock } from './state-lock.ts';
  try {
    const lock = await acquireStateLock(process.argv[2]);
    await lock.writeOwner({ pid: process.pid, url: 'http://127.0.0.1:18790' });
    process.stdout.write('owner\\n');
    setInterval(() => {}, 1000);
  } catch (error) {
    process.stdout.write(error.name + ': ' + error.message + '\\n');
  }`;

let scratch: string;
let program: string;
let stateDir: string;
const others: ChildProcess[] = [];
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'atrium-lock-program-'));
  program = await bundleProgram(scratch, TRY_TO_OWN);
});
afterAll(() => rm(scratch, { recursive: true }));
beforeEach(async () => {
  stateDir = await folderForTest();
});
afterEach(async () => {
  for (const other of others.splice(0)) other.kill('SIGKILL');
});

describe('the state lock', () => {
  it('is held by one owner at a time, also within one process', async () => {
    const lock = await acquireStateLock(stateDir);
    const refused = acquireStateLock(stateDir);
    await expect(refused).rejects.toThrow(StateLockedError);
    await expect(refused).rejects.toThrow(/in use by another process/);
    await lock.release();
    await lock.release();
    const next = await acquireStateLock(stateDir);
    await next.release();
  });

  it('holds against other processes that ask for it or look at it', async () => {
    const lock = await acquireStateLock(stateDir);
    await acquireStateLock(stateDir).catch(() => {});
    expect(await isStateLocked(stateDir)).toBe(true);
    expect(await startOther()).toMatch(/^StateLockedError/);
    await lock.release();
    expect(await isStateLocked(stateDir)).toBe(false);
  });

  it('ends with its process, however that ends, and says who it was until then', async () => {
    expect(await startOther()).toBe('owner');
    const [other] = others;
    const owner = { pid: other?.pid ?? 0, url: 'http://127.0.0.1:18790' };
    expect(await readOwner(stateDir)).toEqual(owner);
    const refused = acquireStateLock(stateDir);
    await expect(refused).rejects.toMatchObject({ dir: stateDir, owner });
    await expect(refused).rejects.toThrow(
      `${stateDir} is in use by the gateway at http://127.0.0.1:18790 (process ${owner.pid}). Stop that one first`,
    );
    other?.kill('SIGKILL');
    if (other) await once(other, 'close');
    expect(await readOwner(stateDir)).toBeUndefined();
    const lock = await acquireStateLock(stateDir);
    expect(await readOwner(stateDir)).toBeUndefined();
    await lock.release();
  });

  it('goes to exactly one of two that ask at the same time', async () => {
    const answers = await Promise.all([startOther(), startOther()]);
    expect(answers.map((answer) => answer.split(':')[0]).sort()).toEqual(['StateLockedError', 'owner']);
  });

  it('keeps its files to this user, and takes back what it said about its owner', async () => {
    const lock = await acquireStateLock(stateDir);
    await lock.writeOwner({ pid: 1, url: 'http://127.0.0.1:1' });
    await lock.writeOwner({ pid: 2, url: 'http://127.0.0.1:2' });
    expect(await readOwner(stateDir)).toEqual({ pid: 2, url: 'http://127.0.0.1:2' });
    const folder = join(stateDir, 'atrium');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await readdir(folder)).sort()).toEqual(['lock', 'owner.json']);
    for (const name of ['lock', 'owner.json']) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    await lock.release();
    expect(await readdir(folder)).toEqual(['lock']);
  });

  it('has no owner in a directory that no gateway has used, and a look creates nothing', async () => {
    expect(await isStateLocked(stateDir)).toBe(false);
    expect(await readOwner(join(stateDir, 'nowhere'))).toBeUndefined();
    expect(await readdir(stateDir)).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{"pid": 1'],
    ['a pid that is none', '{"pid": "1; rm", "url": "http://127.0.0.1"}'],
    ['an address that would paint on a terminal', '{"pid": 1, "url": "http://x/\\u001b[31m"}'],
    ['something else', 'null'],
    ['far too much', JSON.stringify({ pid: 1, url: `http://${'x'.repeat(5_000)}` })],
  ])('does not believe an owner file with %s', async (_, text) => {
    const lock = await acquireStateLock(stateDir);
    await writeFile(join(stateDir, 'atrium', 'owner.json'), text);
    expect(await readOwner(stateDir)).toBeUndefined();
    await lock.release();
  });

  it('says what is wrong when it cannot be kept in the directory at all', async () => {
    await mkdir(join(stateDir, 'atrium', 'lock'), { recursive: true });
    await expect(acquireStateLock(stateDir)).rejects.toMatchObject({ code: 'ATRIUM_STORE_FAILED' });
  });
});

/** Starts a process that tries to own the directory and then stays. Resolves with the outcome. */
async function startOther(): Promise<string> {
  const other = spawn(process.execPath, [program, stateDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  others.push(other);
  const [line] = await once(createInterface({ input: other.stdout }), 'line');
  return line;
}
