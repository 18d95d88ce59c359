// The bytes of attachments, stored once by the hash of their content: `<state>/atrium/attachments/<hash>`. A file is
// written first and named by rows afterwards (`nameAttachments`), in the commit that keeps the message; so a row never
// names a file that was not durable, and a crash in between leaves only a file that is removed later. An upload is a
// small file beside the bytes, `upload_<random>`, which says which file it is of; it is removed after an hour. Another
// file beside it, `upload_<random>.used`, says which message has brought it.
//
// Errors: AttachmentEmptyError and AttachmentTooLargeError for what is not taken; the error of the file system when it
// cannot be written. Reading never rejects because a file is missing or damaged.
// Rules: a file that some row names is never removed. One that no row names is kept for an hour after it was put there
// last, so that the message which brings it can be committed. `keep` and the removal of a file never overlap.

import { createHash, randomBytes } from 'node:crypto';
import { chmod, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AttachmentLimits,
  type AttachmentRef,
  cleanName,
  isAttachmentHash,
  isUploadId,
  type Upload,
} from '../protocol/attachment.ts';
import type { Store } from '../store/store.ts';
import type { AttachmentRow } from '../store/tables.ts';
import {
  AttachmentEmptyError,
  AttachmentTooLargeError,
  AttachmentUnknownError,
  TooManyAttachmentsError,
} from './errors.ts';
import { sniffMime } from './sniff-mime.ts';

export interface AttachmentStoreParts {
  /** Made on first use. */
  readonly dir: string;
  readonly makeDir: (dir: string) => Promise<void>;
  readonly store: Store;
  readonly limits: AttachmentLimits;
  readonly now: () => number;
}

export interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const KEPT_UNNAMED_MS = 60 * 60_000;
const HASHES_PER_LOOK = 200;

export class AttachmentStore {
  readonly #parts: AttachmentStoreParts;
  /** Files of previews, which are not stored. */
  readonly #held = new Map<string, Buffer>();
  /** Settles with the last change to the folder. Changes are made one after the other. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(parts: AttachmentStoreParts) {
    this.#parts = parts;
  }

  get limits(): AttachmentLimits {
    return this.#parts.limits;
  }

  /** Resolves when the bytes would survive a power cut. The same bytes are stored once. */
  async keep({ name: given, bytes }: GivenFile): Promise<AttachmentRef> {
    const name = cleanName(given);
    const { maxBytes } = this.#parts.limits;
    if (bytes.length === 0) throw new AttachmentEmptyError({ file: name });
    if (bytes.length > maxBytes) throw new AttachmentTooLargeError({ file: name, limit: maxBytes });
    const hash = hashOf(bytes);
    await this.#inTurn(() => this.#write(hash, bytes));
    return { hash, name, mime: sniffMime(bytes), size: bytes.length };
  }

  /** Gives a file to a preview: it is read by its hash as long as this object exists, and nothing is written. */
  hold({ name: given, bytes }: GivenFile): AttachmentRef {
    const name = cleanName(given);
    const { maxBytes } = this.#parts.limits;
    if (bytes.length === 0) throw new AttachmentEmptyError({ file: name });
    if (bytes.length > maxBytes) throw new AttachmentTooLargeError({ file: name, limit: maxBytes });
    const hash = hashOf(bytes);
    this.#held.set(hash, Buffer.from(bytes));
    return { hash, name, mime: sniffMime(bytes), size: bytes.length };
  }

  /** Keeps a file that a client uploads before the message that brings it, for an hour. */
  async upload(file: GivenFile): Promise<Upload> {
    const ref = await this.keep(file);
    const id = `upload_${randomBytes(16).toString('hex')}`;
    const time = this.#parts.now() / 1000;
    const handle = await open(this.#pathOf(id), 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify({ hash: ref.hash, name: ref.name }));
      await handle.utimes(time, time);
    } finally {
      await handle.close();
    }
    return { id, ...ref };
  }

  /**
   * The file of an upload of the last hour. A hash finds nothing, so that nobody who knows only the hash of a file can
   * bring it into another session; a file that came in another way than by an upload is not found at all.
   */
  async findUpload(id: string): Promise<AttachmentRef | undefined> {
    if (!isUploadId(id)) return undefined;
    const path = this.#pathOf(id);
    const stats = await stat(path).catch(() => undefined);
    if (!stats || stats.mtimeMs < this.#parts.now() - KEPT_UNNAMED_MS) return undefined;
    const written = await readFile(path, 'utf8').catch(() => undefined);
    const named = written === undefined ? undefined : parseUpload(written);
    const bytes = named && (await this.read(named.hash));
    return bytes && { ...named, mime: sniffMime(bytes), size: bytes.length };
  }

  /**
   * Says that a message brings this upload. `new` when it is the first, `again` when the same message has said so before,
   * `used` when another message has.
   */
  async useUpload(id: string, message: string): Promise<'new' | 'again' | 'used'> {
    // An id becomes part of a path, so anything else is refused.
    if (!isUploadId(id)) return 'used';
    const path = `${this.#pathOf(id)}${USED}`;
    const user = hashOf(Buffer.from(message));
    const time = this.#parts.now() / 1000;
    try {
      const handle = await open(path, 'wx', 0o600);
      try {
        await handle.writeFile(user);
        await handle.utimes(time, time);
      } finally {
        await handle.close();
      }
      return 'new';
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return (await readFile(path, 'utf8').catch(() => '')) === user ? 'again' : 'used';
    }
  }

  /** The message that was to bring this upload was refused, so another one may. */
  async releaseUpload(id: string): Promise<void> {
    if (isUploadId(id)) await rm(`${this.#pathOf(id)}${USED}`, { force: true });
  }

  /** Undefined when there is no such file, or when it no longer holds what its name promises. */
  async read(hash: string): Promise<Buffer | undefined> {
    if (!isAttachmentHash(hash)) return undefined;
    const held = this.#held.get(hash);
    if (held) return held;
    const bytes = await readFile(this.#pathOf(hash)).catch(() => undefined);
    return bytes && hashOf(bytes) === hash ? bytes : undefined;
  }

  /** Looks only at the folder, so that no content is loaded before it may be. */
  async has(hash: string): Promise<boolean> {
    if (!isAttachmentHash(hash)) return false;
    if (this.#held.has(hash)) return true;
    const stats = await stat(this.#pathOf(hash)).catch(() => undefined);
    return stats?.isFile() ?? false;
  }

  /** The bytes of a file that a message of this session names; undefined for every other file. */
  async readFor(sessionKey: string, hash: string): Promise<(AttachmentRef & { readonly bytes: Buffer }) | undefined> {
    const [row] = await this.#parts.store.select('attachments', { where: { sessionKey, hash }, limit: 1 });
    const bytes = row && (await this.read(hash));
    return bytes && { hash, name: row.name, mime: row.mime, size: row.size, bytes };
  }

  /** Rejects when a message names more than it may bring, or a file that is not here. No content is loaded. */
  async check(refs: readonly AttachmentRef[]): Promise<void> {
    const { maxFiles, maxTotalBytes } = this.#parts.limits;
    if (refs.length > maxFiles) throw new TooManyAttachmentsError({ count: refs.length, limit: maxFiles });
    let bytes = 0;
    for (const { hash, name, size } of refs) {
      bytes += size;
      if (bytes > maxTotalBytes) throw new AttachmentTooLargeError({ file: name, limit: maxTotalBytes });
      if (!(await this.has(hash))) throw new AttachmentUnknownError({ hash });
    }
  }

  /** Removes the files of rows that were just removed, unless another row names them or they were put there again. */
  async forget(rows: readonly Pick<AttachmentRow, 'hash' | 'at'>[]): Promise<void> {
    for (const { hash, at } of rows) await this.#inTurn(() => this.#removeUnnamed(hash, at));
  }

  /** Removes what no row names, and what a crash left half written. Returns how many files were removed. */
  async collect(): Promise<number> {
    const { dir, now } = this.#parts;
    const names = await readdir(dir).catch(() => []);
    const cut = now() - KEPT_UNNAMED_MS;
    let removed = 0;
    for (let at = 0; at < names.length; at += HASHES_PER_LOOK) {
      const batch = names.slice(at, at + HASHES_PER_LOOK);
      const named = await this.#namedAmong(batch.filter(isAttachmentHash));
      for (const name of batch.filter((each) => !named.has(each))) {
        if (await this.#inTurn(() => this.#removeUnnamed(name, cut))) removed += 1;
      }
    }
    return removed;
  }

  async #write(hash: string, bytes: Uint8Array): Promise<void> {
    const { dir, makeDir, now } = this.#parts;
    const path = this.#pathOf(hash);
    const time = now() / 1000;
    if ((await this.read(hash)) !== undefined) return utimes(path, time, time);
    await makeDir(dir);
    await chmod(dir, 0o700);
    const draft = join(dir, `.${hash}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.utimes(time, time);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(dir);
  }

  async #removeUnnamed(name: string, before: number): Promise<boolean> {
    const path = join(this.#parts.dir, name);
    const stats = await stat(path).catch(() => undefined);
    if (!stats?.isFile() || Math.floor(stats.mtimeMs) > before) return false;
    if (isAttachmentHash(name) && (await this.#namedAmong([name])).has(name)) return false;
    await rm(path, { force: true });
    return true;
  }

  async #namedAmong(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    if (hashes.length === 0) return new Set();
    const rows = await this.#parts.store.select('attachments', { where: { hash: { in: hashes } } });
    return new Set(rows.map(({ hash }) => hash));
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  #pathOf(hash: string): string {
    return join(this.#parts.dir, hash);
  }
}

const USED = '.used';

/** Undefined for what a crash left half written. */
function parseUpload(text: string): Pick<AttachmentRef, 'hash' | 'name'> | undefined {
  try {
    const { hash, name } = JSON.parse(text) as { hash: unknown; name: unknown };
    return isAttachmentHash(hash) && typeof name === 'string' ? { hash, name } : undefined;
  } catch {
    return undefined;
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Makes the new name survive a power cut. Some systems cannot sync a folder, and need not. */
async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
