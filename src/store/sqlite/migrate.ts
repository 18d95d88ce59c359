// Brings a database to the newest version of its tables, all steps in one transaction, or refuses. The version stands
// in the file's own header, so that it changes with the tables or not at all.

import { StoreFailedError, StoreTooNewError } from '../errors.ts';
import type { Database } from './database.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';

export const NEWEST_VERSION = newestOf(MIGRATIONS);

export function migrate(database: Database, file: string, migrations: readonly Migration[] = MIGRATIONS): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const newest = newestOf(migrations);
    const found = checkVersion(database, file, newest);
    for (const { version, statements } of migrations) {
      if (version > found) for (const statement of statements) database.exec(statement);
    }
    // Written even when nothing changes: a store that cannot be written should say so now, not with the first message.
    database.exec(`PRAGMA user_version = ${newest}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** The version that was found, which is not newer than the newest known. */
export function checkVersion(database: Database, file: string, newest: number = NEWEST_VERSION): number {
  const found = readNumber(database, 'PRAGMA user_version');
  if (found > newest) throw new StoreTooNewError({ store: file, found, known: newest });
  if (found === 0 && readNumber(database, 'SELECT COUNT(*) FROM sqlite_schema') > 0) {
    throw new StoreFailedError({
      store: file,
      detail: 'it is a database of another program',
      remedy: 'Move the file away, or use another state directory.',
    });
  }
  return found;
}

function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

function readNumber(database: Database, sql: string): number {
  const row: readonly unknown[] = database.prepare(sql).get();
  return Number(row[0]);
}
