// A file of SQLite as one side of a move.
// Errors: as `openSqliteStore`, which makes the tables of a new file and brings those of an old one up to date.

import { realpath, stat } from 'node:fs/promises';
import type { SqlStatement } from '../sql/dialect.ts';
import type { TableCodec } from '../sql/row-codec.ts';
import { type Database, foldLog, makeDurable, openDatabase, type SqlValue } from '../sqlite/database.ts';
import { checkVersion } from '../sqlite/migrate.ts';
import { openSqliteStore } from '../sqlite/open-sqlite-store.ts';
import { SQLITE } from '../sqlite/sqlite-dialect.ts';
import { storeErrorFrom } from '../sqlite/store-error.ts';
import type { MovedRow, MoveSide } from './move-side.ts';

export type SideUse =
  /** Beside a gateway that may run. Nothing is changed. */
  | 'look'
  /** The store is read while no gateway runs. Tables of an older version are brought up to date. */
  | 'read'
  /** The same for the store that is filled. */
  | 'fill';

const BUSY_MS = 5_000;

export async function openSqliteSide(file: string, use: SideUse): Promise<MoveSide> {
  if (use !== 'look') await (await openSqliteStore({ file, isMoving: use === 'fill' })).close();
  const guard = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (error) {
      throw storeErrorFrom(error, file);
    }
  };
  let database: Database;
  let version: number;
  try {
    database = await openDatabase(file, { readOnly: use !== 'fill', busyMs: BUSY_MS });
    version = checkVersion(database, file);
  } catch (error) {
    throw storeErrorFrom(error, file);
  }
  if (use === 'fill') guard(() => makeDurable(database));
  const run = ({ sql, values }: SqlStatement) => database.prepare(sql).run(...(values as readonly SqlValue[]));
  const inTransaction = (work: () => void) =>
    guard(() => {
      database.exec('BEGIN IMMEDIATE');
      try {
        work();
        database.exec('COMMIT');
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    });
  const all = (sql: string, values: readonly SqlValue[] = []) =>
    guard(() => database.prepare(sql).all(...values) as unknown as readonly MovedRow[]);
  return {
    kind: 'sqlite',
    description: `sqlite ${file}`,
    identity: `sqlite ${await realpath(file)}`,
    dialect: SQLITE,
    version,
    ask: async ({ sql, values }) => all(sql, values as readonly SqlValue[]),
    fill: async (codec, rows, progress) =>
      inTransaction(() => {
        const insert = database.prepare(insertOf(codec));
        for (const row of rows) insert.run(...row);
        run(progress);
      }),
    transact: async (statements) => inTransaction(() => statements.forEach(run)),
    hasTable: async (table) => all("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [table]).length > 0,
    readLastNumber: async ({ table }) =>
      Number(all('SELECT seq FROM sqlite_sequence WHERE name = ?', [table])[0]?.[0] ?? 0),
    writeLastNumber: async ({ table }, last) =>
      inTransaction(() => {
        run({ sql: 'DELETE FROM sqlite_sequence WHERE name = ?', values: [table] });
        run({ sql: 'INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', values: [table, last] });
      }),
    measure: async () => {
      const sizes = await Promise.all(
        [file, `${file}-wal`].map((each) =>
          stat(each).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      );
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    close: async () => {
      if (use === 'fill') guard(() => foldLog(database));
      database.close();
    },
  };
}

/** The number of a row is written too. */
function insertOf({ table, columns }: TableCodec): string {
  return `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}
