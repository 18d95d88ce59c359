// The files of messages. Their bytes are blobs, stored once by the hash of their content. A blob is put first and named
// by rows afterwards (`nameAttachments`), in the commit that keeps the message; so a row never names a file that was not
// durable, and a crash in between leaves only a blob that is removed later. An upload is a row that says which file it is
// of, and which message has brought it; it is removed after an hour.
//
// Errors: AttachmentEmptyError and AttachmentTooLargeError for what is not taken; the errors of the store when it cannot
// be written. Reading never rejects because a file is missing or damaged.
// Rules: a file that some row names is never removed. One that no row names is kept for an hour after it was put there
// last, so that the message which brings it can be committed.

import { randomBytes } from 'node:crypto';
import {
  type AttachmentLimits,
  type AttachmentRef,
  cleanName,
  isAttachmentHash,
  isUploadId,
  type Upload,
} from '../protocol/attachment.ts';
import { type BlobStore, hashOf } from '../store/blobs/blob-store.ts';
import { takeOverBlobs } from '../store/blobs/take-over-blobs.ts';
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
  readonly blobs: BlobStore;
  /** Where an earlier version kept the files of the same store; they are moved at the start. */
  readonly earlier?: BlobStore | undefined;
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

  constructor(parts: AttachmentStoreParts) {
    this.#parts = parts;
  }

  get limits(): AttachmentLimits {
    return this.#parts.limits;
  }

  /** Moves the files that rows name from where they were kept before. The others stay there. */
  async open(): Promise<void> {
    const { blobs, earlier } = this.#parts;
    if (earlier) await takeOverBlobs({ from: earlier, to: blobs, wanted: (hashes) => this.#namedAmong(hashes) });
  }

  async close(): Promise<void> {
    await this.#parts.blobs.close();
  }

  /** Resolves when the bytes would survive a power cut. The same bytes are stored once. */
  async keep(file: GivenFile): Promise<AttachmentRef> {
    const ref = this.#refOf(file);
    await this.#parts.blobs.put(ref.hash, file.bytes, this.#parts.now());
    return ref;
  }

  /** Gives a file to a preview: it is read by its hash as long as this object exists, and nothing is written. */
  hold(file: GivenFile): AttachmentRef {
    const ref = this.#refOf(file);
    this.#held.set(ref.hash, Buffer.from(file.bytes));
    return ref;
  }

  /** Keeps a file that a client uploads before the message that brings it, for an hour. */
  async upload(file: GivenFile): Promise<Upload> {
    const ref = await this.keep(file);
    const id = `upload_${randomBytes(16).toString('hex')}`;
    const row = { id, ...ref, at: this.#parts.now(), usedBy: null };
    await this.#parts.store.commit([{ insert: 'uploads', row }], { site: 'upload', lazy: true, waits: true });
    return { id, ...ref };
  }

  /**
   * The file of an upload of the last hour. A hash finds nothing, so that a person who knows only the hash of a file cannot
   * bring it into another session; a file that came in another way than by an upload is not found at all.
   */
  async findUpload(id: string): Promise<AttachmentRef | undefined> {
    if (!isUploadId(id)) return undefined;
    const where = { id, at: { gte: this.#parts.now() - KEPT_UNNAMED_MS } };
    const [row] = await this.#parts.store.select('uploads', { where });
    if (!row || !(await this.has(row.hash))) return undefined;
    return { hash: row.hash, name: row.name, mime: row.mime, size: row.size };
  }

  /**
   * Says that a message brings this upload. `new` when it is the first, `again` when the same message has said so before,
   * `used` when another message has.
   */
  async useUpload(id: string, message: string): Promise<'new' | 'again' | 'used'> {
    if (!isUploadId(id)) return 'used';
    const usedBy = hashOf(Buffer.from(message));
    const { store } = this.#parts;
    const use = { update: 'uploads', where: { id, usedBy: null }, set: { usedBy } } as const;
    const { changed } = await store.commit([use], { site: 'upload', lazy: true, waits: true });
    if (changed[0] === 1) return 'new';
    const [row] = await store.select('uploads', { where: { id } });
    return row?.usedBy === usedBy ? 'again' : 'used';
  }

  /** The message that was to bring this upload was refused, so another one may. */
  async releaseUpload(id: string): Promise<void> {
    if (!isUploadId(id)) return;
    const release = { update: 'uploads', where: { id }, set: { usedBy: null } } as const;
    await this.#parts.store.commit([release], { site: 'upload', lazy: true, waits: true });
  }

  /** Undefined when there is no such file, or when it no longer holds what its name promises. */
  async read(hash: string): Promise<Buffer | undefined> {
    return this.#held.get(hash) ?? this.#parts.blobs.read(hash);
  }

  /** Looks only whether it is there, so that no content is loaded before it may be. */
  async has(hash: string): Promise<boolean> {
    return this.#held.has(hash) || this.#parts.blobs.has(hash);
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
    for (const { hash, at } of rows) await this.#removeUnnamed(hash, at);
  }

  /** Removes what no row names, and what a crash left half written. Returns how many files and uploads were removed. */
  async collect(): Promise<number> {
    const { blobs, store, now } = this.#parts;
    const cut = now() - KEPT_UNNAMED_MS;
    let removed = await blobs.sweep(cut);
    const old = { at: { lt: cut } };
    if ((await store.count('uploads', old)) > 0) {
      const { changed } = await store.commit([{ remove: 'uploads', where: old }], { site: 'upload', lazy: true });
      removed += changed[0] ?? 0;
    }
    let batch: string[] = [];
    const clean = async () => {
      const named = await this.#namedAmong(batch);
      for (const hash of batch.filter((each) => !named.has(each)))
        if (await this.#removeUnnamed(hash, cut)) removed += 1;
      batch = [];
    };
    for await (const { hash, putAt } of blobs.list()) {
      if (putAt > cut) continue;
      batch.push(hash);
      if (batch.length === HASHES_PER_LOOK) await clean();
    }
    await clean();
    return removed;
  }

  #refOf({ name: given, bytes }: GivenFile): AttachmentRef {
    const name = cleanName(given);
    const { maxBytes } = this.#parts.limits;
    if (bytes.length === 0) throw new AttachmentEmptyError({ file: name });
    if (bytes.length > maxBytes) throw new AttachmentTooLargeError({ file: name, limit: maxBytes });
    return { hash: hashOf(bytes), name, mime: sniffMime(bytes), size: bytes.length };
  }

  async #removeUnnamed(hash: string, putUntil: number): Promise<boolean> {
    if (!isAttachmentHash(hash) || (await this.#namedAmong([hash])).has(hash)) return false;
    return this.#parts.blobs.remove(hash, putUntil);
  }

  async #namedAmong(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    if (hashes.length === 0) return new Set();
    const rows = await this.#parts.store.select('attachments', { where: { hash: { in: hashes } } });
    return new Set(rows.map(({ hash }) => hash));
  }
}
