// The files that a store was opened on, by what they are and not by their name. A file that was removed, or replaced by
// another one of the same name, still takes writes from a process that has it open, and they are never read. While
// this process has a file open, its number cannot be given to another file.
//
// A name cannot be removed from a folder or given to another file there without the folder being marked as changed, so
// one look at a folder that has rested since the last look at its files stands for looking at each of them. A link leads
// to another folder, so it is looked at each time.

import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The times of a folder are this coarse at worst. Two changes within this time may leave the same mark, so a folder that
 * had just been changed when its files were looked at tells nothing later.
 */
const COARSEST_MARK_MS = 2_000;

export class KnownFiles {
  readonly #files: readonly { readonly path: string; readonly was: Stats | undefined }[];
  readonly #folders: readonly string[];
  readonly #coarsestMarkMs: number;
  /** The folders as they were when no file was lost; undefined when they tell nothing. */
  #rested: readonly (Stats | undefined)[] | undefined;

  /** All of them must exist now. */
  constructor(paths: readonly string[], { coarsestMarkMs = COARSEST_MARK_MS } = {}) {
    this.#files = paths.map((path) => ({ path, was: lookAt(path) }));
    this.#folders = [...new Set(paths.map((path) => dirname(path)))];
    this.#coarsestMarkMs = coarsestMarkMs;
  }

  /** Returns the first that is not there any more, or is another file now. */
  findLost(): string | undefined {
    const now = Date.now();
    const folders = this.#folders.map(lookAt);
    if (this.#rested?.every((was, index) => isUnchanged(was, folders[index]))) return undefined;
    // The folders were looked at before the files: what happens between the two marks a folder for the next time.
    const lost = this.#files.find(({ path, was }) => !isSame(lookAt(path), was))?.path;
    this.#rested = lost === undefined && this.#isResting(folders, now) ? folders : undefined;
    return lost;
  }

  #isResting(folders: readonly (Stats | undefined)[], now: number): boolean {
    return (
      folders.every((folder) => folder && now - folder.ctimeMs > this.#coarsestMarkMs) &&
      !this.#files.some(({ path }) => isLink(path))
    );
  }
}

function isSame(now: Stats | undefined, was: Stats | undefined): boolean {
  return now?.dev === was?.dev && now?.ino === was?.ino;
}

function isUnchanged(now: Stats | undefined, was: Stats | undefined): boolean {
  return now !== undefined && isSame(now, was) && now.ctimeMs === was?.ctimeMs && now.mtimeMs === was.mtimeMs;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== false;
}

/**
 * Undefined when there is no such file. A folder that may not be searched hides its files, which is no better than a
 * missing file. This is asked before every commit, so it makes neither texts nor, for a missing file, an error.
 */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
