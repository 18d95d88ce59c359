// The files that a store was opened on, by what they are and not by their name. A file that was removed, or replaced by
// another one of the same name, still takes writes from a process that has it open, and they are never read. While
// this process has a file open, its number cannot be given to another file.

import { statSync } from 'node:fs';

export class KnownFiles {
  readonly #files: readonly { readonly path: string; readonly id: string }[];

  /** All of them must exist now. */
  constructor(paths: readonly string[]) {
    this.#files = paths.map((path) => ({ path, id: identityOf(path) }));
  }

  /** Returns the first that is not there any more, or is another file now. */
  findLost(): string | undefined {
    return this.#files.find(({ path, id }) => identityOf(path) !== id)?.path;
  }
}

/** A folder that may not be searched hides its files, which is no better than a missing file. */
function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return 'missing';
  }
}
