import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ColumnKind, columnName, TABLES } from '../sql/columns.ts';
import { STORE_KEYS } from '../store-model.ts';
import type { TableName } from '../tables.ts';
import { type Database, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

let dir: string;
let database: Database;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atrium-columns-'));
  database = await openDatabase(join(dir, 'store.db'), { busyMs: 0 });
  migrate(database, 'store.db');
});
afterAll(async () => {
  database.close();
  await rm(dir, { recursive: true });
});

const TYPES: { readonly [K in ColumnKind]: string } = {
  seq: 'INTEGER',
  text: 'TEXT',
  'text?': 'TEXT',
  integer: 'BIGINT',
  'integer?': 'BIGINT',
  real: 'DOUBLE PRECISION',
  'real?': 'DOUBLE PRECISION',
  boolean: 'BOOLEAN',
  json: 'TEXT',
  'json?': 'TEXT',
};

describe('the tables of a new store', () => {
  it('are those that the code knows', () => {
    const found = ask("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    // SQLite keeps a full-text index in tables of its own.
    const indexes = Object.values(TABLES).flatMap(({ phrases = {} }) => Object.values(phrases));
    const ownTables = found.flat().filter((name) => !indexes.some((index) => String(name).startsWith(index)));
    expect(ownTables.sort()).toEqual(
      Object.values(TABLES)
        .map(({ table }) => table)
        .sort(),
    );
  });

  it.each(Object.values(TABLES))('have the columns that the code knows: $table', ({ table, columns }) => {
    const found = ask(`SELECT name, type, "notnull" OR pk = 1 FROM pragma_table_info('${table}')`);
    const known = Object.entries(columns).map(([field, kind]: [string, ColumnKind]) => [
      columnName(field),
      TYPES[kind],
      kind.endsWith('?') ? 0 : 1,
    ]);
    expect(found.sort()).toEqual(known.sort());
  });

  it.each(Object.entries(TABLES))('have the keys that the model knows: %s', (name, { table }) => {
    const indexes = ask(`SELECT name FROM pragma_index_list('${table}') WHERE "unique" = 1`).flat();
    const unique = indexes.map((index) => ask(`SELECT name FROM pragma_index_info('${index}')`).flat());
    const numbered = ask(`SELECT name FROM pragma_table_info('${table}') WHERE pk = 1 AND type = 'INTEGER'`);
    const known = STORE_KEYS[name as TableName].map(({ fields }) => fields.map(columnName));
    expect([...unique, ...numbered].sort()).toEqual([...known].sort());
  });

  it('answer what a turn asks for without reading whole tables', () => {
    const questions = [
      "SELECT 1 FROM runs WHERE run_id = 'r' AND claim = 1 AND status IN ('running', 'suspended')",
      "SELECT * FROM inbox WHERE status = 'queued' AND session_key = 'k' ORDER BY seq LIMIT 1",
      "SELECT * FROM inbox WHERE dedupe_key = 'd'",
      "SELECT * FROM inbox WHERE run_id = 'r'",
      "SELECT * FROM sessions WHERE session_key = 'k' AND ended_at IS NULL",
      "SELECT * FROM transcript WHERE session_id = 's' AND position > 5 ORDER BY position",
      "SELECT * FROM journal WHERE run_id = 'r' ORDER BY position",
      "SELECT * FROM outbox WHERE status = 'queued' AND next_at <= 5 ORDER BY next_at",
      "SELECT * FROM outbox WHERE surface_id = 's' AND seq > 5 ORDER BY seq",
      "SELECT * FROM injections WHERE session_key = 'k' AND status = 'queued' ORDER BY seq",
      "SELECT * FROM parts WHERE hash IN (SELECT value FROM json_each('[]'))",
      'SELECT * FROM parts WHERE used_at < 5 ORDER BY used_at',
      'SELECT * FROM captures WHERE at < 5 ORDER BY at',
      "SELECT * FROM hook_records WHERE run_id = 'r'",
      'SELECT * FROM sessions WHERE active_at < 5 ORDER BY active_at DESC',
    ];
    for (const question of questions) {
      const plan = ask(`EXPLAIN QUERY PLAN ${question}`).map((row) => String(row[3]));
      expect(plan.join('; '), question).toMatch(/^SEARCH/);
      expect(plan.join('; '), question).not.toMatch(/TEMP B-TREE/);
    }
  });
});

function ask(sql: string): unknown[][] {
  return database.prepare(sql).all();
}
