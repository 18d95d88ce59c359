// Opens an SQLite file, and is the only place that names the library. The library is loaded at the first opening,
// because most command lines never need it. Files and folders made here are private.

import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';

export type Database = DatabaseSyncInstance;
export type Statement = StatementSyncInstance;
export type SqlValue = string | number | null;

export interface DatabaseOptions {
  readonly readOnly?: boolean | undefined;
  /** How long a statement may block this process while another one holds the file. */
  readonly busyMs: number;
}

/** Rejects with whatever the file system or the library says; `storeErrorFrom` puts it into words. */
export async function openDatabase(file: string, { readOnly = false, busyMs }: DatabaseOptions): Promise<Database> {
  if (!readOnly) await makePrivate(file);
  const { DatabaseSync } = await import('@photostructure/sqlite');
  return new DatabaseSync(file, {
    readOnly,
    timeout: busyMs,
    enableForeignKeyConstraints: false,
    returnArrays: true,
  });
}

/** From now on what is committed survives a power cut. */
export function makeDurable(database: Database): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(`PRAGMA journal_size_limit = ${LARGEST_IDLE_LOG}`);
  // What is removed is overwritten, or it could be read from the file until its place is used again.
  database.exec('PRAGMA secure_delete = ON');
  // What may have to be undone stays in memory, and never in a temporary file that others can read.
  database.exec('PRAGMA temp_store = MEMORY');
}

/**
 * Leaves one plain file. The library lets go of a connection only when its statements are collected as garbage, and a
 * connection that still has a log would later remove, by name, whatever log is there by then.
 */
export function foldLog(database: Database): void {
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } catch {
    // Somebody else is reading. The log stays then; a disk that is full may keep even its contents for the next opening.
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {}
  }
}

/** Empties the log into the file, so that nothing stays in it which was removed since. False when somebody is reading. */
export function emptyLog(database: Database): boolean {
  try {
    const row: readonly unknown[] = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    return row[0] === 0;
  } catch {
    return false;
  }
}

/** The log is cut back to this after a burst, in bytes. */
const LARGEST_IDLE_LOG = 16 * 1024 * 1024;

/**
 * SQLite gives the files that it puts beside this one the same mode. A file that exists is never opened here: closing
 * it again would drop the locks that this process may hold on it through SQLite.
 */
async function makePrivate(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Whoever may only read the file may not change its mode either; opening it will tell.
    if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600).catch(() => {});
  }
}
