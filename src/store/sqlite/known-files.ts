// The files that a store was opened on, by what they are and not by their name. A file that was removed, or replaced by
// another one of the same name, still takes writes from a process that has it open, and they are never read. While
// this process has a file open, its number cannot be given to another file.

import { statSync } from 'node:fs';

export class KnownFiles {
  readonly #files: readonly { readonly path: string; readonly was: Identity | undefined }[];

  /** All of them must exist now. */
  constructor(paths: readonly string[]) {
    this.#files = paths.map((path) => ({ path, was: lookAt(path) }));
  }

  /** Returns the first that is not there any more, or is another file now. */
  findLost(): string | undefined {
    return this.#files.find(({ path, was }) => !isSame(lookAt(path), was))?.path;
  }
}

interface Identity {
  readonly dev: number;
  readonly ino: number;
}

function isSame(now: Identity | undefined, was: Identity | undefined): boolean {
  return now?.dev === was?.dev && now?.ino === was?.ino;
}

/**
 * Undefined when there is no such file. A folder that may not be searched hides its files, which is no better than a
 * missing file. This is asked before every commit, so it makes neither texts nor, for a missing file, an error.
 */
function lookAt(path: string): Identity | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
