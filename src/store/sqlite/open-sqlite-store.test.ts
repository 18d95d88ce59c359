import { chmod, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import {
  PreconditionFailedError,
  StateLockedError,
  StoreFailedError,
  StoreFullError,
  StoreReadOnlyError,
} from '../errors.ts';
import type { CommitResult, Store } from '../store.ts';
import { openDatabase } from './database.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await folderForTest();
  file = join(dir, 'state', 'atrium', 'store.db');
});

const put = (store: Store, hash: string, text = ''): Promise<CommitResult> =>
  store.commit([{ insert: 'parts', row: { hash, text, size: text.length, usedAt: 1 } }], { site: 'request' });

const accept = (store: Store, runId: string): Promise<CommitResult> => {
  const row = { runId, sessionKey: 'k', dedupeKey: null, fingerprint: null, payload: null, acceptedAt: 1 } as const;
  return store.commit([{ insert: 'inbox', row: { ...row, kind: 'message', status: 'queued' } }], { site: 'accept' });
};

describe('an SQLite store', () => {
  it('is private: its folder, its file, and what stands beside it', async () => {
    const store = await openSqliteStore({ file });
    await put(store, 'a');
    expect((await stat(join(dir, 'state'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, 'state', 'atrium'))).mode & 0o777).toBe(0o700);
    const names = await readdir(join(dir, 'state', 'atrium'));
    expect(names.sort()).toEqual(['store.db', 'store.db-shm', 'store.db-wal']);
    for (const name of names) expect((await stat(join(dir, 'state', 'atrium', name))).mode & 0o777, name).toBe(0o600);
    await store.close();
  });

  it('becomes private again when its mode was opened to others', async () => {
    await (await openSqliteStore({ file })).close();
    await chmod(file, 0o644);
    const store = await openSqliteStore({ file });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it('leaves one file behind when it is closed', async () => {
    const store = await openSqliteStore({ file });
    await put(store, 'a');
    await store.close();
    expect(await readdir(join(dir, 'state', 'atrium'))).toEqual(['store.db']);
  });

  it('says what it is', async () => {
    const store = await openSqliteStore({ file });
    expect(store.description).toBe(`sqlite ${file}`);
    await store.close();
  });

  it('can be read by another process while it is open, and after', async () => {
    const store = await openSqliteStore({ file });
    await put(store, 'a');
    const reader = await openSqliteStore({ file, readOnly: true });
    expect(await reader.count('parts')).toBe(1);
    await put(store, 'b');
    expect(await reader.count('parts')).toBe(2);
    await expect(put(reader, 'c')).rejects.toThrow(StoreReadOnlyError);
    await reader.close();
    await store.close();
    const later = await openSqliteStore({ file, readOnly: true });
    expect(await later.count('parts')).toBe(2);
    await later.close();
  });

  it('makes nothing when it is only read', async () => {
    await expect(openSqliteStore({ file, readOnly: true })).rejects.toThrow(StoreFailedError);
    expect(await readdir(dir)).toEqual([]);
  });
});

describe('what must not be kept', () => {
  const say = (store: Store, text: string): Promise<CommitResult> => {
    const surface = { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'ana' } } as const;
    const payload = { agentId: 'main', inbound: { surface, sender: { id: 'ana' }, text, at: 0 } };
    const row = { runId: 'r', sessionKey: 'k', dedupeKey: null, fingerprint: null, payload, acceptedAt: 1 } as const;
    return store.commit([{ insert: 'inbox', row: { ...row, kind: 'message', status: 'queued' } }], { site: 'accept' });
  };
  const scrub = (store: Store): Promise<CommitResult> =>
    store.commit([{ update: 'inbox', where: { runId: 'r' }, set: { payload: null } }], { site: 'block' });

  it.each([0, 3_000, 200_000])('is in no file once it is scrubbed, with %d characters around it', async (size) => {
    const store = await openSqliteStore({ file });
    await accept(store, 'before');
    await say(store, `${'w'.repeat(size)} zq-launch-code ${'w'.repeat(size)}`);
    await store.commit([{ update: 'inbox', where: { runId: 'r' }, set: { status: 'claimed' } }], { site: 'claim' });
    expect(await filesWith('zq-launch-code')).not.toEqual([]);
    await scrub(store);
    expect(await filesWith('zq-launch-code')).toEqual([]);
    await accept(store, 'after');
    await store.close();
    expect(await filesWith('zq-launch-code')).toEqual([]);
  });

  it('is in no file soon after, when another process was reading', async () => {
    const store = await openSqliteStore({ file });
    await say(store, 'zq-launch-code');
    const reader = await openDatabase(file, { readOnly: true, busyMs: 0 });
    reader.exec('BEGIN');
    reader.prepare('SELECT * FROM inbox').all();
    await scrub(store);
    expect(await filesWith('zq-launch-code')).not.toEqual([]);
    reader.exec('COMMIT');
    await vi.waitFor(async () => expect(await filesWith('zq-launch-code')).toEqual([]), 5_000);
    reader.close();
    await store.close();
  });

  async function filesWith(text: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const name of await readdir(join(dir, 'state', 'atrium'))) {
      if ((await readFile(join(dir, 'state', 'atrium', name))).includes(text)) found.push(name);
    }
    return found;
  }
});

describe('a store without space', () => {
  it('says so, keeps what was accepted, and goes on when there is space again', async () => {
    const store = await openSqliteStore({ file, maxPages: 170 });
    const accepted: string[] = [];
    const fill = async () => {
      for (let index = 0; ; index += 1) {
        await put(store, `hash-${index}`, 'x'.repeat(5_000));
        accepted.push(`hash-${index}`);
      }
    };
    await expect(fill()).rejects.toThrow(StoreFullError);
    expect(accepted.length).toBeGreaterThan(5);
    await expect(put(store, 'late', 'x'.repeat(50_000))).rejects.toThrow(/no space left.*Free some/);
    expect((await store.select('parts')).map(({ hash }) => hash).sort()).toEqual([...accepted].sort());
    await store.commit([{ remove: 'parts', where: { hash: { in: accepted.slice(0, 5) } }, expect: 5 }], {
      site: 'prune',
    });
    await put(store, 'again', 'x'.repeat(5_000));
    await store.close();
    const reopened = await openSqliteStore({ file });
    expect(await reopened.count('parts')).toBe(accepted.length - 4);
    await reopened.close();
  });

  it('refuses only the commit that is too large, not those beside it', async () => {
    const store = await openSqliteStore({ file, maxPages: 200 });
    const outcomes = await Promise.allSettled([
      put(store, 'small-1', 'x'.repeat(100)),
      put(store, 'large', 'x'.repeat(4_000_000)),
      put(store, 'small-2', 'x'.repeat(100)),
      put(store, 'small-1'),
    ]);
    const errors = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined));
    expect(errors).toEqual([undefined, expect.any(StoreFullError), undefined, expect.any(PreconditionFailedError)]);
    expect((await store.select('parts')).map(({ hash }) => hash).sort()).toEqual(['small-1', 'small-2']);
    await store.close();
  });
});

describe('a store that cannot be written', () => {
  it('says so when its file or its folder is protected', async () => {
    const folder = join(dir, 'state', 'atrium');
    const store = await openSqliteStore({ file });
    await put(store, 'a');
    await asOrdinaryUser(async () => {
      await chmod(file, 0o400);
      await expect(openSqliteStore({ file }), 'with a log beside it').rejects.toThrow(StoreReadOnlyError);
      await store.close();
      await expect(openSqliteStore({ file }), 'without').rejects.toThrow(StoreReadOnlyError);
      await chmod(file, 0o600);
      await chmod(folder, 0o500);
      await expect(openSqliteStore({ file }), 'the folder').rejects.toThrow(StoreReadOnlyError);
      await expect(openSqliteStore({ file: join(folder, 'new.db') })).rejects.toThrow(/cannot be written.*permissions/);
      await chmod(folder, 0o700);
      const mended = await openSqliteStore({ file });
      expect(await mended.count('parts')).toBe(1);
      await mended.close();
    });
  });
});

describe('a store that another program keeps busy', () => {
  it('waits without blocking, and then makes its commits in order', async () => {
    const store = await openSqliteStore({ file });
    const other = await openDatabase(file, { busyMs: 0 });
    other.exec('BEGIN IMMEDIATE');
    // More than go into one group, and one more while they wait.
    const asked = Array.from({ length: 300 }, (_, index) => `run-${index}`);
    const made = asked.map((runId) => accept(store, runId));
    await new Promise((resolve) => setTimeout(resolve, 40));
    made.push(accept(store, 'last'));
    other.exec('COMMIT');
    await Promise.all(made);
    const rows = await store.select('inbox', { orderBy: [['seq', 'asc']] });
    expect(rows.map(({ runId }) => runId)).toEqual([...asked, 'last']);
    other.close();
    await store.close();
  });

  it('gives up in the end, and works again afterwards', async () => {
    const store = await openSqliteStore({ file, busyWaitMs: 50 });
    const other = await openDatabase(file, { busyMs: 0 });
    other.exec('BEGIN IMMEDIATE');
    await expect(put(store, 'a')).rejects.toThrow(StateLockedError);
    other.exec('ROLLBACK');
    await put(store, 'a');
    other.exec('BEGIN IMMEDIATE');
    const made = put(store, 'b');
    setTimeout(() => other.exec('COMMIT'), 1);
    await made;
    expect(await store.count('parts')).toBe(2);
    other.close();
    await store.close();
  });
});

describe('a file that is damaged', () => {
  it('is refused when it is no database at all', async () => {
    await (await openSqliteStore({ file })).close();
    await writeFile(file, 'Dear diary, '.repeat(1_000));
    await expect(openSqliteStore({ file })).rejects.toThrow(StoreFailedError);
    await expect(openSqliteStore({ file })).rejects.toThrow(/no store of Atrium. Move the file away/);
  });

  it('is named when a part of it is gone', async () => {
    const store = await openSqliteStore({ file });
    for (const hash of ['a', 'b', 'c']) await put(store, hash, hash.repeat(30_000));
    await store.close();
    await truncate(file, (await readFile(file)).length - 60_000);
    const read = async () => {
      const damaged = await openSqliteStore({ file });
      try {
        await damaged.select('parts');
      } finally {
        await damaged.close();
      }
    };
    await expect(read()).rejects.toThrow(/is damaged. Check the disk/);
  });
});

/** Root may write everything; stepping down for a moment makes permissions mean something. */
async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return work();
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  await promisify(execFile)('chown', ['-R', '65534', dir]);
  process.seteuid?.(65534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}
