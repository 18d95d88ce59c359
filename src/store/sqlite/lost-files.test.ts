// What a store does when its files are removed or replaced under it, and what it takes for a new store.

import { cp, mkdir, readdir, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { StoreFailedError, StoreReadOnlyError, StoreReplacedError } from '../errors.ts';
import type { CommitResult, Store } from '../store.ts';
import { openDatabase } from './database.ts';
import { openSqliteStore, type SqliteStoreOptions } from './open-sqlite-store.ts';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = join(await folderForTest(), 'atrium');
  file = join(dir, 'store.db');
});

async function open(options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const store = await openSqliteStore({ file, ...options });
  onTestFinished(() => store.close());
  return store;
}

const put = (store: Store, hash: string): Promise<CommitResult> =>
  store.commit([{ insert: 'parts', row: { hash, text: '', size: 0, usedAt: 1 } }], { site: 'request' });

describe('a store whose files are not its own any more', () => {
  it('takes nothing once its folder is removed, and says which file is missing', async () => {
    const store = await open();
    await put(store, 'kept');
    await rm(dir, { recursive: true });
    await expect(put(store, 'late')).rejects.toThrow(StoreReplacedError);
    await expect(put(store, 'later')).rejects.toThrow(/store\.db was removed or replaced/);
    await expect(store.probe()).rejects.toThrow(StoreReplacedError);
    await store.close();
    await expect(stat(dir)).rejects.toThrow(/ENOENT/);
  });

  it('takes nothing when another store stands in its place, leaves that one alone, and goes on when its own is back', async () => {
    const store = await open();
    await put(store, 'first');
    await rename(dir, `${dir}.away`);
    const other = await openSqliteStore({ file });
    await put(other, 'of the other');
    await expect(put(store, 'second')).rejects.toThrow(StoreReplacedError);
    expect(await other.count('parts')).toBe(1);
    await other.close();

    await rename(dir, `${dir}.other`);
    await rename(`${dir}.away`, dir);
    await store.probe();
    await put(store, 'third');
    expect((await store.select('parts')).map(({ hash }) => hash)).toEqual(['first', 'third']);
  });

  it('does not touch the files of another store when it is closed', async () => {
    const store = await open();
    await put(store, 'first');
    await rename(dir, `${dir}.away`);
    const other = await open();
    await put(other, 'of the other');
    await store.close();
    expect((await readdir(dir)).sort()).toEqual(['store.db', 'store.db-shm', 'store.db-wal']);
    await put(other, 'another');
    await other.close();
    const reopened = await open();
    expect(await reopened.count('parts')).toBe(2);
  });

  it('takes nothing when it was replaced by a copy of itself', async () => {
    const store = await open();
    await put(store, 'first');
    await cp(file, `${file}.copy`);
    await rename(`${file}.copy`, file);
    await expect(put(store, 'second')).rejects.toThrow(StoreReplacedError);
  });

  it.each(['store.db-wal', 'store.db-shm'])('keeps what it took before when only %s is removed', async (name) => {
    const store = await open();
    await put(store, 'first');
    await rm(join(dir, name));
    await expect(put(store, 'second')).rejects.toThrow(new RegExp(`${name} was removed`));
    // As after a crash: nothing is closed.
    await cp(file, join(dir, 'copy.db'));
    const copy = await open({ file: join(dir, 'copy.db') });
    expect((await copy.select('parts')).map(({ hash }) => hash)).toEqual(['first']);
  });

  it('takes nothing without the file that makes it the only one', async () => {
    await mkdir(dir, { recursive: true });
    const held = await openDatabase(join(dir, 'lock'), { busyMs: 0 });
    onTestFinished(() => held.close());
    const store = await open({ besides: [join(dir, 'lock')] });
    await put(store, 'first');
    await rm(join(dir, 'lock'));
    await writeFile(join(dir, 'lock'), '');
    await expect(put(store, 'second')).rejects.toThrow(/lock was removed or replaced/);
  });
});

describe('probing a store', () => {
  it('changes nothing, and is no commit', async () => {
    const store = await open();
    await put(store, 'a');
    await store.probe();
    expect([await store.count('parts'), store.waits]).toEqual([1, 1]);
  });

  it('says that a store is only read', async () => {
    await (await open()).close();
    const reader = await open({ readOnly: true });
    await expect(reader.probe()).rejects.toThrow(StoreReadOnlyError);
  });
});

describe('a file whose contents are gone', () => {
  it('is no new store: an empty file is refused, and left as it is', async () => {
    const store = await openSqliteStore({ file });
    await put(store, 'a');
    await store.close();
    await truncate(file, 0);
    await expect(openSqliteStore({ file })).rejects.toThrow(StoreFailedError);
    await expect(openSqliteStore({ file })).rejects.toThrow(/the file is empty.*Bring back a copy/);
    expect((await stat(file)).size).toBe(0);
  });

  it('is no new store when only its log is left', async () => {
    const store = await open();
    await put(store, 'a');
    const left = join(dirname(dir), 'left');
    await mkdir(left);
    await cp(`${file}-wal`, join(left, 'store.db-wal'));
    await expect(openSqliteStore({ file: join(left, 'store.db') })).rejects.toThrow(/missing, but its log/);
    expect(await readdir(left)).toEqual(['store.db-wal']);
  });

  it('is no new store when it is a database without tables', async () => {
    const database = await openDatabase(file, { busyMs: 0 });
    database.exec('CREATE TABLE a (b TEXT); DROP TABLE a; VACUUM');
    database.close();
    await expect(openSqliteStore({ file })).rejects.toThrow(/it has no tables/);
  });

  it('is no store when another program counts its versions in the same place', async () => {
    const database = await openDatabase(file, { busyMs: 0 });
    database.exec('CREATE TABLE theirs (a TEXT); PRAGMA user_version = 3');
    database.close();
    await expect(openSqliteStore({ file })).rejects.toThrow(/another program/);
    await expect(openSqliteStore({ file, readOnly: true })).rejects.toThrow(/another program/);
  });

  it('is finished by the next process when one died while it was made', async () => {
    await mkdir(dir, { recursive: true });
    await writeFile(`${file}-new`, '');
    await writeFile(file, '');
    const store = await open();
    await put(store, 'a');
    expect(await store.count('parts')).toBe(1);
    expect((await readdir(dir)).filter((name) => name.endsWith('-new'))).toEqual([]);
  });
});

describe('what stands in the place of a store and is no file', () => {
  it('is refused and left alone: a folder, a link that leads nowhere', async () => {
    await mkdir(file, { recursive: true, mode: 0o755 });
    const { mode } = await stat(file);
    await expect(open()).rejects.toThrow(/failed: it is no regular file\. Move it away/);
    expect((await stat(file)).mode).toBe(mode);
    await rm(file, { recursive: true });
    await symlink(join(dir, 'disk', 'store.db'), file);
    await expect(open()).rejects.toThrow(/failed: it is a link that leads nowhere\. .*mount/);
    expect(await readdir(dir)).toEqual(['store.db']);
  });

  it('does not let an empty file pass for a new store when the link leads somewhere again', async () => {
    await mkdir(dir, { recursive: true });
    await symlink(join(dir, 'disk.db'), file);
    await expect(open()).rejects.toThrow(StoreFailedError);
    await writeFile(join(dir, 'disk.db'), '');
    await expect(open()).rejects.toThrow(/the file is empty/);
  });
});
