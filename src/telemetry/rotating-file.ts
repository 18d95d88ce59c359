// A file of lines that never grows beyond a limit: when a line does not fit any more, the file is set aside as `.1`,
// older ones move on, and the oldest is removed. Lines are written before `append` returns, so that a process which
// dies at the next moment has lost none.
// Errors: `append` throws what the file system says, and then nothing was written; the next call tries again.
// Rules: the files are private, and a link or a pipe in place of the file is not followed.

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { makeFolder } from './make-folder.ts';

export interface RotatingFileSettings {
  readonly file: string;
  readonly maxBytes: number;
  readonly now: () => number;
}

/** How many files that were set aside are kept. */
const KEPT_FILES = 4;
/** Another program may move or remove the file. It is looked for at most so often. */
const LOOK_MS = 1_000;

/** The files of one log, the newest first. Not all of them must exist. */
export function filesOfLog(file: string): readonly string[] {
  return [file, ...Array.from({ length: KEPT_FILES }, (_, index) => `${file}.${index + 1}`)];
}

export class RotatingFile {
  readonly #settings: RotatingFileSettings;
  #open: OpenedFile | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: RotatingFileSettings) {
    this.#settings = settings;
  }

  append(line: string): void {
    const bytes = Buffer.from(line);
    let opened = this.#opened();
    if (opened.size > 0 && opened.size + bytes.length > this.#settings.maxBytes) {
      this.close();
      setAside(this.#settings.file);
      opened = this.#opened();
    }
    for (let written = 0; written < bytes.length; ) written += writeSync(opened.fd, bytes, written);
    opened.size += bytes.length;
  }

  close(): void {
    if (this.#open) closeSync(this.#open.fd);
    this.#open = undefined;
  }

  #opened(): OpenedFile {
    const { file, now } = this.#settings;
    const at = now();
    if (this.#open && Math.abs(at - this.#lookedAt) >= LOOK_MS) {
      this.#lookedAt = at;
      if (!isStillThere(file, this.#open)) this.close();
    }
    this.#open ??= openPrivately(file);
    return this.#open;
  }
}

interface OpenedFile {
  readonly fd: number;
  readonly inode: number;
  size: number;
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
const OPEN_FLAGS = O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

function openPrivately(file: string): OpenedFile {
  makeFolder(path.dirname(file));
  const fd = openSync(file, OPEN_FLAGS, 0o600);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile())
      throw Object.assign(new Error(`${file} is not a regular file`), { code: 'not a regular file' });
    if ((stats.mode & 0o077) !== 0) fchmodSync(fd, 0o600);
    return { fd, inode: stats.ino, size: stats.size };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function isStillThere(file: string, { inode }: OpenedFile): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.ino === inode;
}

function setAside(file: string): void {
  const files = filesOfLog(file);
  for (let index = files.length - 1; index >= 0; index--) {
    const from = files[index] ?? file;
    const to = files[index + 1];
    try {
      if (to === undefined) unlinkSync(from);
      else renameSync(from, to);
    } catch (error) {
      // Before the first rotations, there are fewer files.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
