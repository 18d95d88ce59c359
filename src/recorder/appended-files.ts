// Lines on their way to files that only grow. Whoever appends does not wait: lines are gathered in bounded memory and
// written in their order, file by file.
//
// Promise: nothing here throws or rejects. A file that cannot be written is said once and its lines are dropped; so are
// lines for which there is no memory left. Files are private, and a link in place of a file is not followed.

import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import path from 'node:path';

export interface AppendedFilesSettings {
  /** Told once per folder that cannot be written, in one sentence. */
  readonly warn: (message: string) => void;
  /** Of all lines that wait. */
  readonly maxPendingBytes?: number | undefined;
}

/** A line that is made when its place in the file is known. */
export interface AppendedLine {
  /** At most this many characters, to account for it while it waits. */
  readonly length: number;
  /** Undefined for a line that is to be left out after all. */
  text(place: FilePlace): string | undefined;
}

/** What a file holds before a line. */
export interface FilePlace {
  readonly size: number;
  /** How the last line begins; undefined in an empty file or when the line is too long to look at. */
  readonly lastLine: string | undefined;
}

const MAX_PENDING_BYTES = 8 * 1024 * 1024;
const MAX_LAST_LINE = 512 * 1024;
const LINE_BEGINNING = 4096;
const MAX_REMEMBERED_FILES = 256;
/** Lines wait this long for others, because opening a file costs more than writing to it, and a run says a lot. */
const GATHER_MS = 250;

export class AppendedFiles {
  readonly #warn: (message: string) => void;
  readonly #maxPendingBytes: number;
  readonly #waiting = new Map<string, AppendedLine[]>();
  readonly #writers = new Map<string, Promise<void>>();
  /** What this process wrote last, so that a file is not read again for every line. Forgotten files are looked at anew. */
  readonly #places = new Map<string, FilePlace>();
  readonly #warned = new Set<string>();
  /** Each ends the wait of one file. */
  readonly #gathering = new Set<() => void>();
  #pendingBytes = 0;
  #dropped = 0;

  constructor({ warn, maxPendingBytes = MAX_PENDING_BYTES }: AppendedFilesSettings) {
    this.#warn = warn;
    this.#maxPendingBytes = maxPendingBytes;
  }

  /** Lines that were lost, to a lack of memory or to a file that could not be written. */
  get dropped(): number {
    return this.#dropped;
  }

  append(file: string, line: AppendedLine): void {
    if (this.#pendingBytes + line.length > this.#maxPendingBytes) {
      this.#dropped++;
      this.#warnOnce('memory', 'Records come faster than they can be written; some were left out.');
      return;
    }
    this.#pendingBytes += line.length;
    const waiting = this.#waiting.get(file);
    if (waiting) waiting.push(line);
    else this.#waiting.set(file, [line]);
    if (!this.#writers.has(file)) this.#writers.set(file, this.#write(file));
  }

  /** Resolves when everything that was appended before has been written or given up. */
  async drain(): Promise<void> {
    while (this.#writers.size > 0) {
      for (const endWait of this.#gathering) endWait();
      await Promise.all(this.#writers.values());
    }
  }

  /** Removes a file with the lines that are on their way to it. Lines that are appended later begin it anew. */
  async remove(file: string): Promise<void> {
    for (const line of this.#take(file)) this.#pendingBytes -= line.length;
    for (const endWait of this.#gathering) endWait();
    await this.#writers.get(file);
    this.#places.delete(file);
    try {
      await unlink(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      this.#warnOnce(file, `${file} could not be removed (${reasonOf(error)}). Remove it by hand.`);
    }
  }

  async #write(file: string): Promise<void> {
    await this.#gather();
    for (let lines = this.#take(file); lines.length > 0; lines = this.#take(file)) {
      try {
        await this.#writeLines(file, lines);
      } catch (error) {
        this.#dropped += lines.length;
        this.#places.delete(file);
        this.#warnOnce(
          path.dirname(file),
          `Records cannot be written to ${file} (${reasonOf(error)}). Runs go on without them; check the folder and its permissions.`,
        );
      }
      for (const line of lines) this.#pendingBytes -= line.length;
    }
    this.#writers.delete(file);
  }

  #gather(): Promise<void> {
    return new Promise((resolve) => {
      const endWait = () => {
        clearTimeout(timer);
        this.#gathering.delete(endWait);
        resolve();
      };
      const timer = setTimeout(endWait, GATHER_MS);
      this.#gathering.add(endWait);
    });
  }

  #take(file: string): readonly AppendedLine[] {
    const lines = this.#waiting.get(file) ?? [];
    this.#waiting.delete(file);
    return lines;
  }

  async #writeLines(file: string, lines: readonly AppendedLine[]): Promise<void> {
    const { handle, size } = await openPrivately(file);
    try {
      const known = this.#places.get(file);
      let place: FilePlace = known?.size === size ? known : await readPlace(handle, size);
      const texts: string[] = [];
      for (const line of lines) {
        const text = line.text(place);
        if (text === undefined) continue;
        texts.push(`${text}\n`);
        place = { size: place.size + Buffer.byteLength(text) + 1, lastLine: text.slice(0, LINE_BEGINNING) };
      }
      if (texts.length > 0) await handle.appendFile(texts.join(''));
      this.#remember(file, { ...place, lastLine: place.lastLine && beginningOf(place.lastLine) });
    } finally {
      await handle.close();
    }
  }

  #remember(file: string, place: FilePlace): void {
    this.#places.delete(file);
    this.#places.set(file, place);
    const [oldest] = this.#places.keys();
    if (this.#places.size > MAX_REMEMBERED_FILES && oldest !== undefined) this.#places.delete(oldest);
  }

  #warnOnce(about: string, message: string): void {
    if (this.#warned.has(about)) return;
    this.#warned.add(about);
    try {
      this.#warn(message);
    } catch {
      // Whoever listens to warnings must not stop what is recorded.
    }
  }
}

async function openPrivately(file: string): Promise<{ readonly handle: FileHandle; readonly size: number }> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
  // Without blocking, or a pipe in place of the file would hold a thread until somebody reads from it.
  const flags = O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
  const handle = await open(file, flags, 0o600).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    return open(file, flags, 0o600);
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw Object.assign(new Error('not a file'), { code: 'not a regular file' });
    if ((stat.mode & 0o077) !== 0) await handle.chmod(0o600);
    return { handle, size: stat.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readPlace(handle: FileHandle, size: number): Promise<FilePlace> {
  if (size === 0) return { size, lastLine: undefined };
  const length = Math.min(size, MAX_LAST_LINE);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  const tail = buffer.subarray(0, bytesRead).toString('utf8');
  const lines = tail.split('\n').filter((line) => line !== '');
  const line = lines.length > 1 || length === size ? lines.at(-1) : undefined;
  const lastLine = line && beginningOf(line);
  if (tail.endsWith('\n')) return { size, lastLine };
  // A line that was cut by a crash is ended first, so that it spoils no other.
  await handle.appendFile('\n');
  return { size: size + 1, lastLine };
}

/** A copy: a slice would keep the whole line in memory for as long as the file is remembered. */
function beginningOf(line: string): string {
  return Buffer.from(line.slice(0, LINE_BEGINNING)).toString();
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ELOOP' ? 'it is a link' : (code ?? 'it failed');
}
