import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FolderBlobs } from '../store/blobs/folder-blobs.ts';
import { nameAttachments } from '../store/name-attachments.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { AttachmentStore } from './attachment-store.ts';

const HOUR_MS = 60 * 60_000;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let dir: string;
let store: Store;
let clock: number;
let files: AttachmentStore;

beforeEach(async () => {
  const folder = await folderForTest();
  store = await openSqliteStore({ file: join(folder, 'store.db') });
  onTestFinished(() => store.close());
  dir = join(folder, 'attachments');
  clock = Date.now();
  files = new AttachmentStore({
    blobs: new FolderBlobs({ dir, makeDir: async (path) => void (await mkdir(path, { recursive: true })) }),
    store,
    limits: { maxBytes: 1_000, maxFiles: 2, maxTotalBytes: 1_500 },
    now: () => clock,
  });
});

const name = (hash: string, runId = 'run_1', sessionKey = 'agent:main:a') =>
  store.commit(nameAttachments([{ hash, name: 'x', mime: 'image/png', size: 1 }], { runId, sessionKey, at: clock }), {
    site: 'accept',
  });

describe('a file that came with a message', () => {
  it('is stored once under its hash, readable by its owner only', async () => {
    const first = await files.keep({ name: 'photo.png', bytes: PNG });
    const second = await files.keep({ name: 'again.png', bytes: PNG });
    expect(first).toMatchObject({ name: 'photo.png', mime: 'image/png', size: PNG.length });
    expect(second.hash).toBe(first.hash);
    expect(await readdir(dir)).toEqual([first.hash]);
    expect((await stat(join(dir, first.hash))).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect(await files.read(first.hash)).toEqual(PNG);
  });

  it('is judged by its bytes, and has a name that is no path', async () => {
    expect(await files.keep({ name: '../../etc/passwd.png', bytes: Buffer.from('<script>') })).toMatchObject({
      name: 'passwd.png',
      mime: 'text/plain',
    });
    expect((await files.keep({ name: 'a.txt', bytes: Buffer.from([0, 1, 2]) })).mime).toBe('application/octet-stream');
    expect((await files.keep({ name: '..', bytes: Buffer.from('%PDF-1.7') })).name).toBe('file');
    expect((await files.keep({ name: 'a\n\u202e"b"].md', bytes: Buffer.from('x') })).name).not.toMatch(/["\n\u202e\]]/);
  });

  it('is refused when it is empty or too large', async () => {
    await expect(files.keep({ name: 'a', bytes: Buffer.alloc(0) })).rejects.toMatchObject({
      code: 'ATRIUM_ATTACHMENT_EMPTY',
    });
    await expect(files.keep({ name: 'a', bytes: Buffer.alloc(1_001) })).rejects.toMatchObject({
      code: 'ATRIUM_ATTACHMENT_TOO_LARGE',
    });
    await expect(readdir(dir)).rejects.toThrow();
  });

  it('is not given out when its content is damaged, and is stored anew', async () => {
    const { hash } = await files.keep({ name: 'a', bytes: PNG });
    await writeFile(join(dir, hash), 'something else');
    expect(await files.read(hash)).toBeUndefined();
    await files.keep({ name: 'a', bytes: PNG });
    expect(await files.read(hash)).toEqual(PNG);
    expect(await files.read('../store.db')).toBeUndefined();
  });

  it('is readable for a session that names it, and for no other', async () => {
    const { hash } = await files.keep({ name: 'a', bytes: PNG });
    expect(await files.readFor('agent:main:a', hash)).toBeUndefined();
    await name(hash);
    expect((await files.readFor('agent:main:a', hash))?.bytes).toEqual(PNG);
    expect(await files.readFor('agent:main:b', hash)).toBeUndefined();
  });
});

describe('a file that was uploaded', () => {
  it('is found for an hour by the id of the upload, and by nothing else', async () => {
    const { id, ...ref } = await files.upload({ name: 'a.png', bytes: PNG });
    const other = await files.upload({ name: 'b.png', bytes: PNG });
    expect(other.id).not.toBe(id);
    await name(ref.hash);
    expect(await files.findUpload(id)).toEqual(ref);
    expect(await files.findUpload(other.id)).toEqual({ ...ref, name: 'b.png' });
    for (const guess of [ref.hash, `upload_${ref.hash.slice(0, 32)}`, '../store.db', `../attachments/${id}`])
      expect(await files.findUpload(guess)).toBeUndefined();
    clock += HOUR_MS + 1_000;
    expect(await files.findUpload(id)).toBeUndefined();
    expect(await files.collect()).toBe(2);
    expect(await files.has(ref.hash)).toBe(true);
  });
});

describe('an upload', () => {
  it('is used by one message, which may say so again, until that message is refused', async () => {
    const { id } = await files.upload({ name: 'a.png', bytes: PNG });
    expect(await files.useUpload(id, 'message 1')).toBe('new');
    expect(await files.useUpload(id, 'message 1')).toBe('again');
    expect(await files.useUpload(id, 'message 2')).toBe('used');
    await files.releaseUpload(id);
    expect(await files.useUpload(id, 'message 2')).toBe('new');
    expect(await files.useUpload(`../${id}`, 'message 3')).toBe('used');
    clock += HOUR_MS + 1_000;
    // The row of the upload, and the file that no message named.
    expect(await files.collect()).toBe(2);
    expect(await store.count('uploads')).toBe(0);
  });
});

describe('a message with files', () => {
  it('is refused with too many, with too many bytes, and with one that is not there', async () => {
    const refs = await Promise.all(
      ['a', 'b', 'c'].map((letter) => files.keep({ name: letter, bytes: Buffer.alloc(800, letter) })),
    );
    await expect(files.check(refs)).rejects.toMatchObject({ code: 'ATRIUM_ATTACHMENT_TOO_MANY' });
    await expect(files.check(refs.slice(0, 2))).rejects.toMatchObject({ code: 'ATRIUM_ATTACHMENT_TOO_LARGE' });
    const gone = { hash: 'a'.repeat(64), name: 'x', mime: 'image/png', size: 1 };
    await expect(files.check([gone])).rejects.toMatchObject({ code: 'ATRIUM_ATTACHMENT_UNKNOWN' });
    await files.check(refs.slice(0, 1));
  });
});

describe('collecting', () => {
  it('removes what no row names after an hour, and what a crash left half written', async () => {
    const named = await files.keep({ name: 'a', bytes: Buffer.from('named') });
    const unnamed = await files.keep({ name: 'b', bytes: Buffer.from('unnamed') });
    await name(named.hash);
    const draft = join(dir, `.${unnamed.hash}.abc.tmp`);
    await writeFile(draft, 'half');
    await utimes(draft, clock / 1000, clock / 1000);
    expect(await files.collect()).toBe(0);
    clock += HOUR_MS + 1_000;
    expect(await files.collect()).toBe(2);
    expect(await readdir(dir)).toEqual([named.hash]);
    await store.commit([{ remove: 'attachments', where: { runId: 'run_1' } }], { site: 'session' });
    await files.collect();
    expect(await readdir(dir)).toEqual([]);
  });

  it('spares a file that came again a moment ago', async () => {
    const { hash } = await files.keep({ name: 'a', bytes: PNG });
    clock += HOUR_MS + 1_000;
    const [, removed] = await Promise.all([files.keep({ name: 'a', bytes: PNG }), files.collect()]);
    expect(removed).toBe(0);
    expect(await readFile(join(dir, hash))).toEqual(PNG);
  });
});

describe('forgetting', () => {
  it('removes the files of removed rows at once, unless another row names them or they came again', async () => {
    const keep = (text: string) => files.keep({ name: 'a', bytes: Buffer.from(text) });
    const [gone, shared, again] = [await keep('gone'), await keep('shared'), await keep('again')];
    const at = clock;
    await name(shared.hash, 'run_2', 'agent:main:b');
    clock += 5_000;
    await keep('again');
    await files.forget([gone, shared, again].map(({ hash }) => ({ hash, at })));
    expect((await readdir(dir)).sort()).toEqual([shared.hash, again.hash].sort());
  });
});
