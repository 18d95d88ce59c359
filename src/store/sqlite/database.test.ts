import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { foldLog, makeDurable, openDatabase } from './database.ts';

let dir: string;
beforeEach(async () => {
  dir = await folderForTest();
});

describe('a database', () => {
  it('syncs its log with every commit once it is made durable', async () => {
    const database = await openDatabase(join(dir, 'a.db'), { busyMs: 7 });
    makeDurable(database);
    const setting = (name: string): unknown => database.prepare(`PRAGMA ${name}`).get()[0];
    const FULL = 2;
    expect([setting('journal_mode'), setting('synchronous')]).toEqual(['wal', FULL]);
    expect([setting('foreign_keys'), setting('busy_timeout')]).toEqual([0, 7]);
    database.close();
  });

  it('is one plain file after its log was folded in, even if a statement is still known', async () => {
    const database = await openDatabase(join(dir, 'a.db'), { busyMs: 0 });
    makeDurable(database);
    database.exec('CREATE TABLE notes (text TEXT)');
    const insert = database.prepare('INSERT INTO notes VALUES (?)');
    insert.run('kept');
    foldLog(database);
    database.close();
    expect(await readdir(dir)).toEqual(['a.db']);
    const again = await openDatabase(join(dir, 'a.db'), { readOnly: true, busyMs: 0 });
    expect(again.prepare('SELECT text FROM notes').get()).toEqual(['kept']);
    again.close();
  });

  it('keeps its locks when the same process opens the file once more', async () => {
    const file = join(dir, 'a.db');
    const first = await openDatabase(file, { busyMs: 0 });
    first.exec('CREATE TABLE notes (text TEXT); BEGIN EXCLUSIVE');
    const second = await openDatabase(file, { busyMs: 0 });
    expect(() => second.exec('BEGIN IMMEDIATE')).toThrow(/locked/);
    second.close();
    first.close();
  });
});
