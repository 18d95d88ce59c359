// Writes a bundle file by file. Until the last file is on the disk, the folder has a name that says that it is
// incomplete; then it gets its own name in one step. So a process that is killed leaves no folder, or one that is
// clearly not a bundle. A power cut is another matter: syncing thousands of files would take minutes, and the hashes
// tell a reader what is gone. Files are private, and nothing that exists is overwritten.
//
// Errors: throws BundleNotWrittenError when the folder cannot be written.

import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { sha256Of } from '../../protocol/sha256-of.ts';
import { makeFolder } from '../../telemetry/make-folder.ts';
import { BundleNotWrittenError } from '../errors.ts';
import {
  BUNDLE_SCHEMA,
  BUNDLE_VERSION,
  type BundleFacts,
  type BundleFile,
  type BundleManifest,
  INCOMPLETE_SUFFIX,
  isBundlePath,
  MANIFEST_FILE,
} from './bundle-format.ts';

const MOST_NAMES = 100;

export class BundleWriter {
  readonly #dir: string;
  readonly #final: string;
  readonly #files: BundleFile[] = [];
  readonly #folders = new Set<string>();

  private constructor(dir: string, final: string) {
    this.#dir = dir;
    this.#final = final;
  }

  /** Begins a folder of this name in `parent`, or of this name with a number behind it. */
  static async create(parent: string, name: string): Promise<BundleWriter> {
    try {
      makeFolder(parent);
      for (let count = 1; count <= MOST_NAMES; count++) {
        const final = path.join(parent, count === 1 ? name : `${name}-${count}`);
        const dir = `${final}${INCOMPLETE_SUFFIX}`;
        if (!(await exists(final)) && (await make(dir))) return new BundleWriter(dir, final);
      }
    } catch (error) {
      throw notWritten(parent, error);
    }
    throw new BundleNotWrittenError({ dir: parent, reason: `there are ${MOST_NAMES} folders named ${name} already` });
  }

  async add(name: string, text: string): Promise<void> {
    if (!isBundlePath(name))
      throw new BundleNotWrittenError({ dir: this.#dir, reason: `it cannot have a file ${name}` });
    const bytes = Buffer.from(text);
    await this.#write(name, bytes);
    this.#files.push({ path: name, size: bytes.length, sha256: sha256Of(bytes) });
  }

  addJson(name: string, value: unknown): Promise<void> {
    return this.add(name, `${JSON.stringify(value, null, 2)}\n`);
  }

  addLines(name: string, values: readonly unknown[]): Promise<void> {
    return this.add(name, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  }

  /** Returns the folder of the bundle, which is complete now. */
  async finish(facts: BundleFacts): Promise<string> {
    const files = this.#files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const manifest: BundleManifest = { schema: BUNDLE_SCHEMA, schemaVersion: BUNDLE_VERSION, ...facts, files };
    await this.#write(MANIFEST_FILE, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    try {
      await rename(this.#dir, this.#final);
    } catch (error) {
      throw notWritten(this.#dir, error);
    }
    return this.#final;
  }

  /** Removes what was written so far. */
  async abandon(): Promise<void> {
    await rm(this.#dir, { recursive: true, force: true }).catch(() => {});
  }

  async #write(name: string, bytes: Buffer): Promise<void> {
    const { O_CREAT, O_EXCL, O_WRONLY } = constants;
    const file = path.join(this.#dir, name);
    try {
      const folder = path.posix.dirname(name);
      if (!this.#folders.has(folder)) makeFolder(path.dirname(file));
      this.#folders.add(folder);
      const handle = await open(file, O_WRONLY | O_CREAT | O_EXCL, 0o600);
      try {
        await handle.writeFile(bytes);
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw notWritten(file, error);
    }
  }
}

/** Returns false when there is something of that name. */
async function make(dir: string): Promise<boolean> {
  try {
    await mkdir(dir, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

function notWritten(dir: string, error: unknown): BundleNotWrittenError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new BundleNotWrittenError({ dir, reason: code ?? message }, { cause: error });
}
