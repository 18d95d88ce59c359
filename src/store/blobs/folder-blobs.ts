// Blobs as files of one folder, each named by its hash. A file is written under another name, synced, and then named, so
// that a name never stands for half of the bytes. One process at a time may use the folder: putting and removing wait for
// each other here.

import { randomBytes } from 'node:crypto';
import { chmod, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isAttachmentHash } from '../../protocol/attachment.ts';
import { storeErrorFrom } from '../sqlite/store-error.ts';
import { type BlobFacts, type BlobStore, checkBlob, hashOf } from './blob-store.ts';

export interface FolderBlobsParts {
  /** Made with the first blob. */
  readonly dir: string;
  readonly makeDir: (dir: string) => Promise<void>;
}

export class FolderBlobs implements BlobStore {
  readonly #parts: FolderBlobsParts;
  /** Settles with the last change to the folder. Changes are made one after the other. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(parts: FolderBlobsParts) {
    this.#parts = parts;
  }

  get description(): string {
    return `folder ${this.#parts.dir}`;
  }

  async put(hash: string, bytes: Uint8Array, at: number): Promise<void> {
    checkBlob(hash, bytes);
    await this.#inTurn(() => this.#write(hash, bytes, at));
  }

  async read(hash: string): Promise<Buffer | undefined> {
    if (!isAttachmentHash(hash)) return undefined;
    const bytes = await readFile(this.#pathOf(hash)).catch(() => undefined);
    return bytes && hashOf(bytes) === hash ? bytes : undefined;
  }

  async has(hash: string): Promise<boolean> {
    return isAttachmentHash(hash) && (await this.#look(hash)) !== undefined;
  }

  async remove(hash: string, putUntil: number): Promise<boolean> {
    return isAttachmentHash(hash) && this.#inTurn(() => this.#removeFile(hash, putUntil));
  }

  async *list(): AsyncIterable<BlobFacts> {
    for (const hash of (await this.#names()).filter(isAttachmentHash).sort()) {
      const facts = await this.#look(hash);
      if (facts) yield { hash, size: facts.size, putAt: Math.floor(facts.mtimeMs) };
    }
  }

  async sweep(leftUntil: number): Promise<number> {
    let removed = 0;
    for (const name of (await this.#names()).filter((each) => !isAttachmentHash(each))) {
      if (await this.#inTurn(() => this.#removeFile(name, leftUntil))) removed += 1;
    }
    return removed;
  }

  async close(): Promise<void> {
    await this.#changing;
  }

  async #write(hash: string, bytes: Uint8Array, at: number): Promise<void> {
    const { dir, makeDir } = this.#parts;
    const path = this.#pathOf(hash);
    const time = at / 1000;
    const draft = join(dir, `.${hash}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      if ((await this.read(hash)) !== undefined) return await utimes(path, time, time);
      await makeDir(dir);
      await chmod(dir, 0o700);
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.utimes(time, time);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, path);
      await syncFolder(dir);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw storeErrorFrom(error, this.description);
    }
  }

  async #removeFile(name: string, until: number): Promise<boolean> {
    const facts = await this.#look(name);
    if (!facts || Math.floor(facts.mtimeMs) > until) return false;
    await rm(join(this.#parts.dir, name), { force: true });
    return true;
  }

  async #look(name: string) {
    const facts = await stat(join(this.#parts.dir, name)).catch(() => undefined);
    return facts?.isFile() ? facts : undefined;
  }

  #names(): Promise<readonly string[]> {
    return readdir(this.#parts.dir).catch(() => []);
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

/** Makes the new name survive a power cut. Some systems cannot sync a folder, and need not. */
async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
