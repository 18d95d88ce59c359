// A lock on a file, for this process and for other processes that use the same lock: the one that made the file
// `<path>.lock` has it. A lock is kept fresh while it is held, so one that is older than `stale` was left behind.
//
// Errors: when the lock cannot be had, an error with the code `file_lock_timeout` and the path of the lock.

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { computeBackoff, KeyedAsyncQueue, sleep } from './async-work.ts';

export interface FileLockOptions {
  readonly retries: {
    readonly retries: number;
    readonly factor: number;
    readonly minTimeout: number;
    readonly maxTimeout: number;
    readonly randomize?: boolean;
  };
  /** A time in milliseconds. */
  readonly stale: number;
}

export const FILE_LOCK_TIMEOUT_ERROR_CODE = 'file_lock_timeout';

/** Work that holds the lock already goes on without waiting for itself. */
export async function withFileLock<Result>(
  filePath: string,
  options: FileLockOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const lockPath = `${resolve(filePath)}.lock`;
  const outer = held.getStore() ?? new Set();
  if (outer.has(lockPath)) return work();
  return waiting.enqueue(lockPath, async () => {
    const owner = await acquire(lockPath, options);
    const freshen = setInterval(() => touch(lockPath), Math.max(500, options.stale / 3));
    freshen.unref();
    try {
      return await held.run(new Set([...outer, lockPath]), work);
    } finally {
      clearInterval(freshen);
      if ((await ownerOf(lockPath)) === owner) await rm(lockPath, { force: true });
    }
  });
}

const held = new AsyncLocalStorage<ReadonlySet<string>>();
const waiting = new KeyedAsyncQueue();

async function acquire(lockPath: string, { retries, stale }: FileLockOptions): Promise<string> {
  const owner = `${process.pid} ${randomUUID()}`;
  const policy = {
    initialMs: retries.minTimeout,
    maxMs: retries.maxTimeout,
    factor: retries.factor,
    jitter: retries.randomize ? 1 : 0,
  };
  await mkdir(dirname(lockPath), { recursive: true, mode: 0o700 });
  for (let attempt = 0; ; attempt++) {
    if (await made(lockPath, owner)) return owner;
    if ((await isStale(lockPath, stale)) && (await removedStale(lockPath, stale)) && (await made(lockPath, owner))) {
      return owner;
    }
    if (attempt >= retries.retries) break;
    await sleep(computeBackoff(policy, attempt + 1));
  }
  const error = new Error(`Another process works on the file: ${lockPath} exists.`);
  throw Object.assign(error, { code: FILE_LOCK_TIMEOUT_ERROR_CODE, lockPath });
}

async function made(lockPath: string, owner: string): Promise<boolean> {
  try {
    await writeFile(lockPath, owner, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(path: string, stale: number): Promise<boolean> {
  const modifiedAt = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
  return modifiedAt !== undefined && Date.now() - modifiedAt > stale;
}

/** Two processes may find the same old lock; the second must not remove the new lock of the first. */
async function removedStale(lockPath: string, stale: number): Promise<boolean> {
  const aside = `${lockPath}.${randomUUID()}`;
  try {
    await rename(lockPath, aside);
  } catch {
    return false;
  }
  const wasStale = await isStale(aside, stale);
  if (wasStale) await rm(aside, { force: true });
  else await rename(aside, lockPath);
  return wasStale;
}

function ownerOf(lockPath: string): Promise<string | undefined> {
  return readFile(lockPath, 'utf8').catch(() => undefined);
}

function touch(path: string): void {
  const now = new Date();
  utimes(path, now, now).catch(() => undefined);
}
