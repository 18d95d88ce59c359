// Brings a database to the newest version of its tables, with all steps in one transaction, or refuses. The version is
// in the header of the file, so it changes together with the tables or not at all.

import { StoreFailedError, StoreTooNewError } from '../errors.ts';
import { MOVE_TABLE } from '../move/move-table.ts';
import type { Database } from './database.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';

export const NEWEST_VERSION = newestOf(MIGRATIONS);

export function migrate(database: Database, file: string, migrations: readonly Migration[] = MIGRATIONS): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const newest = newestOf(migrations);
    const found = checkVersion(database, file, migrations);
    for (const { version, statements } of migrations) {
      if (version > found) for (const statement of statements) database.exec(statement);
    }
    // The version is written even when nothing changes, so that a store that cannot be written fails now and not with
    // the first message.
    database.exec(`PRAGMA user_version = ${newest}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Returns the version of the file, which is not newer than the newest known one. */
export function checkVersion(database: Database, file: string, migrations: readonly Migration[] = MIGRATIONS): number {
  const newest = newestOf(migrations);
  const found = readNumber(database, 'PRAGMA user_version');
  if (found > newest) throw new StoreTooNewError({ store: file, found, known: newest });
  if (
    found === 0 ? readNumber(database, 'SELECT COUNT(*) FROM sqlite_schema') > 0 : !hasTables(database, migrations[0])
  ) {
    throw new StoreFailedError({
      store: file,
      detail: 'it is a database of another program',
      remedy: 'Move the file away, or use another state directory.',
    });
  }
  return found;
}

/** Other programs count the versions of their tables in the same place, but their tables have other names. */
function hasTables(database: Database, first: Migration | undefined): boolean {
  const names = (first?.statements ?? []).flatMap((statement) => /^CREATE TABLE (\w+)/.exec(statement)?.[1] ?? []);
  const list = names.map((name) => `'${name}'`).join(', ');
  const sql = `SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name IN (${list})`;
  return readNumber(database, sql) === names.length;
}

/** True while `atrium store migrate` fills this file. */
export function hasUnfinishedMove(database: Database): boolean {
  return readNumber(database, `SELECT COUNT(*) FROM sqlite_schema WHERE name = '${MOVE_TABLE}'`) > 0;
}

function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

function readNumber(database: Database, sql: string): number {
  const row: readonly unknown[] = database.prepare(sql).get();
  return Number(row[0]);
}
