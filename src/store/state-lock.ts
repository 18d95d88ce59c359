// One process owns a state directory. The lock belongs to the kernel, on an empty file, so it ends with the process in
// every case. Beside it the owner writes who it is, for commands that find the directory locked.

import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StateLockedError } from './errors.ts';
import { type Database, openDatabase } from './sqlite/database.ts';
import { isBusy, storeErrorFrom } from './sqlite/store-error.ts';

export interface StateLock {
  readonly stateDir: string;
  /** While this is the file that was locked, no other process owns the directory. */
  readonly file: string;
  /** The owner before this one did not release the directory: its process was killed. */
  readonly wasLeft: boolean;
  /** Writes where the owner can be reached. Only this user can read it. */
  writeOwner(owner: StateOwner): Promise<void>;
  release(): Promise<void>;
}

export interface StateOwner {
  readonly pid: number;
  readonly url: string;
  /**
   * The token that it was started with, for the commands of its user: what the configuration says may have changed since.
   * A gateway of an older version does not write it.
   */
  readonly token?: string | undefined;
}

/**
 * Rejects with StateLockedError while another process, or another part of this one, owns the directory. Rejects with
 * StoreReadOnlyError, StoreFullError or StoreFailedError when no lock can be kept there.
 */
export async function acquireStateLock(stateDir: string): Promise<StateLock> {
  const file = lockFile(stateDir);
  let database: Database | undefined;
  let wasLeft = false;
  try {
    database = await openDatabase(file, { busyMs: RACE_MS });
    // The file stays empty, so there is nothing to undo, and a killed process leaves no journal file.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    // The file of a killed owner must not be taken for the file of this one.
    wasLeft = await stat(ownerFile(stateDir)).then(
      () => true,
      () => false,
    );
    await rm(ownerFile(stateDir), { force: true });
  } catch (error) {
    database?.close();
    if (isBusy(error)) {
      const owner = await readOwnerFile(stateDir);
      // The fields of an error may be printed, and a token must not be.
      const place = owner && { pid: owner.pid, url: owner.url };
      throw new StateLockedError({ dir: stateDir, owner: place }, { cause: error });
    }
    throw storeErrorFrom(error, file);
  }
  HELD.add(database);
  return stateLock(stateDir, database, wasLeft);
}

/**
 * Returns the owner of the directory, or undefined when there is none, or when the owner has not written the file yet.
 */
export async function readOwner(stateDir: string): Promise<StateOwner | undefined> {
  return (await isStateLocked(stateDir)) ? readOwnerFile(stateDir) : undefined;
}

/** Returns who wrote into this directory that it owns it, although that may be over. */
export function readLastOwner(stateDir: string): Promise<StateOwner | undefined> {
  return readOwnerFile(stateDir);
}

export async function isStateLocked(stateDir: string): Promise<boolean> {
  const file = lockFile(stateDir);
  if (await isInListOfLocks(file)) return true;
  let database: Database | undefined;
  try {
    database = await openDatabase(file, { readOnly: true, busyMs: 0 });
    database.exec('SELECT COUNT(*) FROM sqlite_schema');
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    database?.close();
  }
}

/**
 * Linux tells every lock of the kernel, so that most commands need not load the library. A lock that is not in the list,
 * as on another system or some kinds of file systems, may still be held.
 */
async function isInListOfLocks(file: string): Promise<boolean> {
  try {
    const [{ dev, ino }, list] = await Promise.all([stat(file), readFile('/proc/locks', 'latin1')]);
    const major = Math.floor(dev / 0x100) % 0x1000;
    const minor = (dev % 0x100) + Math.floor(dev / 0x10_0000) * 0x100;
    const device = [major, minor].map((number) => number.toString(16).padStart(2, '0')).join(':');
    return list.split('\n').some((line) => / WRITE /.test(line) && line.includes(` ${device}:${ino} `));
  } catch {
    return false;
  }
}

/** Two processes that start together may block each other for a moment; one of them wins within this time. */
const RACE_MS = 250;
const LONGEST_OWNER_FILE = 4096;
/** A connection that is garbage-collected is closed, and its lock ends, so connections are kept here. */
const HELD = new Set<Database>();

function stateLock(stateDir: string, database: Database, wasLeft: boolean): StateLock {
  return {
    stateDir,
    file: lockFile(stateDir),
    wasLeft,
    async writeOwner(owner) {
      const path = ownerFile(stateDir);
      await mkdir(join(stateDir, 'atrium'), { recursive: true, mode: 0o700 });
      const { pid, url, token } = owner;
      // A file that was left by a crash keeps its mode when it is written again.
      await rm(`${path}.new`, { force: true });
      await writeFile(`${path}.new`, `${JSON.stringify({ pid, url, token })}\n`, { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    async release() {
      if (!HELD.delete(database)) return;
      await rm(ownerFile(stateDir), { force: true });
      database.close();
    },
  };
}

async function readOwnerFile(stateDir: string): Promise<StateOwner | undefined> {
  const text = await readFile(ownerFile(stateDir), 'utf8').catch(() => '');
  if (text.length > LONGEST_OWNER_FILE) return undefined;
  try {
    const { pid, url, token } = JSON.parse(text) as Partial<Record<keyof StateOwner, unknown>>;
    const isKnown = Number.isSafeInteger(pid) && typeof url === 'string' && /^https?:\/\/[\x21-\x7e]+$/.test(url);
    if (!isKnown) return undefined;
    const isToken = typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);
    return { pid: pid as number, url, ...(isToken ? { token } : {}) };
  } catch {
    return undefined;
  }
}

/** No other code may open this file, because closing it would drop the lock. */
function lockFile(stateDir: string): string {
  return join(stateDir, 'atrium', 'lock');
}

/** Written anew by every start, so that its inode tells one start from another. */
export function ownerFile(stateDir: string): string {
  return join(stateDir, 'atrium', 'owner.json');
}
