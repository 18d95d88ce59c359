// Opens an SQLite file. No other file names the library. The library is loaded at the first opening, because most
// command lines never need it. Files and folders that are created here are private.

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

/**
 * Rejects with the error of the file system or the library; `storeErrorFrom` turns it into an error of the Store
 * contract.
 */
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

/** From now on, committed data survives a power cut. */
export function makeDurable(database: Database): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(`PRAGMA journal_size_limit = ${LARGEST_IDLE_LOG}`);
  database.exec(`PRAGMA wal_autocheckpoint = ${PAGES_PER_FOLDING}`);
  // Removed data is overwritten; otherwise it could be read from the file until its space is used again.
  database.exec('PRAGMA secure_delete = ON');
  // Data for a rollback stays in memory, never in a temporary file that others can read.
  database.exec('PRAGMA temp_store = MEMORY');
}

/**
 * Leaves one plain file. The library closes a connection only when its statements are garbage-collected, and a
 * connection that still has a log would then delete the log file of that name, even if it belongs to a later
 * connection.
 */
export function foldLog(database: Database): void {
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } catch {
    // Another process is reading, so the log stays. On a full disk even its contents may stay until the next opening.
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {}
  }
}

/**
 * Copies the log into the file and empties it, so that removed data does not stay in the log. False while another
 * process is reading.
 */
export function emptyLog(database: Database): boolean {
  try {
    const row: readonly unknown[] = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    return row[0] === 0;
  } catch {
    return false;
  }
}

/** After a burst the log is shortened to this many bytes. It holds one folding, so that the log need not grow again. */
const LARGEST_IDLE_LOG = 34 * 1024 * 1024;
/**
 * So many pages of 4096 bytes are copied from the log into the file at once. The same pages change with every message, so
 * that a page is copied once for many messages; by default SQLite copies after an eighth of this. What is in the log is
 * as safe as what is in the file.
 */
const PAGES_PER_FOLDING = 8_000;

/**
 * SQLite gives the files that it creates beside this one the same mode. An existing file is never opened here, because
 * closing it would drop the locks that this process may hold on it through SQLite.
 */
async function makePrivate(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // A user who may only read the file cannot change its mode either; opening it will report that.
    if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600).catch(() => {});
  }
}
