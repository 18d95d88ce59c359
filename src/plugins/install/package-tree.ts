// How much a package may bring, and who may read it. The limits are far above what plugins and skills need and far below
// what would fill a disk. A package beyond one of them is refused as a whole.

import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderRefusedError } from '../errors.ts';

export interface TreeLimits {
  readonly files: number;
  readonly bytes: number;
  readonly fileBytes: number;
  readonly depth: number;
}

const MB = 1024 * 1024;

/** The limits of the package itself. */
export const PACKAGE_LIMITS: TreeLimits = { files: 20_000, bytes: 256 * MB, fileBytes: 64 * MB, depth: 40 };

/** Of everything that its dependencies bring. */
export const DEPENDENCY_LIMITS: TreeLimits = { files: 200_000, bytes: 2_048 * MB, fileBytes: 512 * MB, depth: 80 };

/** Counts files as they come and says what is too much; undefined while all is well. */
export class TreeMeter {
  readonly #limits: TreeLimits;
  #files = 0;
  #bytes = 0;

  constructor(limits: TreeLimits) {
    this.#limits = limits;
  }

  problemWith(path: string, bytes: number): string | undefined {
    this.#files += 1;
    this.#bytes += bytes;
    const { files, bytes: allBytes, fileBytes, depth } = this.#limits;
    if (this.#files > files) return `it has more than ${files.toLocaleString('en-US')} files and folders`;
    if (bytes > fileBytes) return `${path} is larger than ${inMegabytes(fileBytes)}`;
    if (this.#bytes > allBytes) return `it is larger than ${inMegabytes(allBytes)}`;
    if (path.split('/').length > depth) return `${path} lies deeper than ${depth} folders`;
    return undefined;
  }
}

function inMegabytes(bytes: number): string {
  return `${(bytes / MB).toLocaleString('en-US')} MB`;
}

export async function makePrivate(dir: string): Promise<void> {
  await chmod(dir, 0o700);
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    const entry = await lstat(path);
    if (entry.isDirectory()) await makePrivate(path);
    else if (entry.isFile()) await chmod(path, entry.mode & 0o100 ? 0o700 : 0o600);
    else
      throw new FolderRefusedError({ folder: dir, problem: `${JSON.stringify(name)} is neither a file nor a folder` });
  }
}
