import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { StoreFailedError, StoreTooNewError } from '../errors.ts';
import { type Database, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

const first: Migration = { version: 1, statements: ['CREATE TABLE notes (text TEXT)'] };
const second: Migration = {
  version: 2,
  statements: ['ALTER TABLE notes ADD COLUMN at BIGINT', 'UPDATE notes SET at = 7'],
};

let dir: string;
let file: string;
let database: Database;
beforeEach(async () => {
  dir = await folderForTest();
  file = join(dir, 'store.db');
  database = await openDatabase(file, { busyMs: 0 });
});
afterEach(async () => {
  if (database.isOpen) database.close();
});

const ask = (sql: string): unknown => database.prepare(sql).get()[0];

describe('migrating', () => {
  it('makes the tables of an empty file, and then changes nothing', () => {
    migrate(database, file, [first, second]);
    expect(ask('PRAGMA user_version')).toBe(2);
    database.exec("INSERT INTO notes VALUES ('kept', 1)");
    migrate(database, file, [first, second]);
    expect(ask('SELECT text FROM notes')).toBe('kept');
  });

  it('brings older tables up to date and keeps their rows', () => {
    migrate(database, file, [first]);
    database.exec("INSERT INTO notes VALUES ('old')");
    migrate(database, file, [first, second]);
    expect([ask('SELECT text FROM notes'), ask('SELECT at FROM notes')]).toEqual(['old', 7]);
  });

  it('leaves everything as it was when a step fails', () => {
    migrate(database, file, [first]);
    const broken: Migration = { version: 3, statements: ['CREATE TABLE more (a TEXT)', 'NONSENSE'] };
    expect(() => migrate(database, file, [first, second, broken])).toThrow(/syntax/);
    expect(ask('PRAGMA user_version')).toBe(1);
    expect(ask("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'more'")).toBe(0);
    expect(ask("SELECT COUNT(*) FROM pragma_table_info('notes')")).toBe(1);
  });

  it('refuses tables that a newer version made', async () => {
    migrate(database, file);
    const newest = Number(ask('PRAGMA user_version'));
    database.exec(`PRAGMA user_version = ${newest + 3}`);
    database.close();
    const refused = openSqliteStore({ file });
    await expect(refused).rejects.toThrow(StoreTooNewError);
    await expect(refused).rejects.toMatchObject({ found: newest + 3, known: newest });
    await expect(refused).rejects.toThrow(/newer Atrium.*Update Atrium/);
  });

  it('refuses a database of another program', async () => {
    database.exec('CREATE TABLE theirs (a TEXT)');
    database.close();
    await expect(openSqliteStore({ file })).rejects.toThrow(StoreFailedError);
    await expect(openSqliteStore({ file })).rejects.toThrow(/another program.*Move the file away/);
  });

  it('knows steps in rising order only', () => {
    const versions = MIGRATIONS.map(({ version }) => version);
    expect(versions).toEqual(versions.map((_, index) => index + 1));
  });
});
