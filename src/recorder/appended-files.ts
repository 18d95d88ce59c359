// Appends lines of JSON to files that only grow. A caller that appends does not wait: lines are collected in bounded memory and
// written in their order, file by file.
//
// Promise: nothing here throws or rejects. A file that cannot be written causes one warning, and its lines are dropped;
// lines for which there is no memory are dropped too. Files are private, and a link in place of a file is not followed.

import { appendFileSync, closeSync, constants, fstatSync, openSync } from 'node:fs';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import path from 'node:path';

export interface AppendedFilesSettings {
  /** Called with one sentence, once for each folder that cannot be written, and for each file that can never be. */
  readonly warn: (message: string) => void;
  /** The most bytes of all lines that wait. */
  readonly maxPendingBytes?: number | undefined;
  /** Whether a folder is on a disk of this machine, where writing a few lines takes less than asking a thread to. */
  readonly isLocal?: ((dir: string) => boolean) | undefined;
}

/** A line whose text is made when its place in the file is known. */
export interface AppendedLine {
  /** An upper bound of its characters, used to count memory while it waits. */
  readonly length: number;
  /**
   * Adds the line to `texts`, in pieces and without a line break, and returns the number of its bytes. Returns undefined, and adds
   * nothing, for a line that shall be left out after all.
   */
  write(place: FilePlace, texts: string[]): number | undefined;
}

/** What a file contains before a line. */
export interface FilePlace {
  readonly size: number;
  /** The last whole line, or its beginning. It is undefined in an empty file or when the line is too long. */
  readonly lastLine: string | undefined;
}

const MAX_PENDING_BYTES = 8 * 1024 * 1024;
const MAX_LAST_LINE = 512 * 1024;
const LINE_BEGINNING = 4096;
const MAX_REMEMBERED_FILES = 256;
const MOST_FAILING = 20;
const NOT_A_FILE = 'not a regular file';
const FAULTS_OF_FILES: ReadonlySet<string> = new Set(['ELOOP', 'EISDIR', 'ENXIO', 'EINVAL', NOT_A_FILE]);
/**
 * Lines wait this long for others, because opening a file costs more than writing to it, and a run writes many lines.
 */
const GATHER_MS = 1_000;

export class AppendedFiles {
  readonly #warn: (message: string) => void;
  readonly #maxPendingBytes: number;
  readonly #isLocal: (dir: string) => boolean;
  readonly #waiting = new Map<string, AppendedLine[]>();
  readonly #writers = new Map<string, Promise<void>>();
  /**
   * What this process wrote last, so that a file is not read again for every line. A file that is no longer remembered
   * is read again.
   */
  readonly #places = new Map<string, FilePlace>();
  readonly #warned = new Set<string>();
  /** By folder or file, the sentence about it. */
  readonly #failing = new Map<string, string>();
  /** Each function ends the wait of one file. */
  readonly #gathering = new Set<() => void>();
  #pendingBytes = 0;
  #dropped = 0;

  constructor({ warn, maxPendingBytes = MAX_PENDING_BYTES, isLocal = () => false }: AppendedFilesSettings) {
    this.#warn = warn;
    this.#maxPendingBytes = maxPendingBytes;
    this.#isLocal = isLocal;
  }

  /** One sentence for each place that could not be written when it was tried last. */
  get warnings(): readonly string[] {
    return [...this.#failing.values()];
  }

  /** The number of lines that were lost, because memory was short or a file could not be written. */
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

  /** Resolves when every line that was appended before has been written or given up. */
  async drain(): Promise<void> {
    while (this.#writers.size > 0) {
      for (const endWait of this.#gathering) endWait();
      await Promise.all(this.#writers.values());
    }
  }

  /** Removes a file and the lines that wait for it. Lines that are appended later create it again. */
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
        if (!this.#writeAtOnce(file, lines)) await this.#writeLines(file, lines);
        if (this.#failing.size > 0) for (const about of [file, path.dirname(file)]) this.#failing.delete(about);
      } catch (error) {
        this.#dropped += lines.length;
        this.#places.delete(file);
        this.#fail(file, error);
      }
      for (const line of lines) this.#pendingBytes -= line.length;
    }
    this.#writers.delete(file);
  }

  /** What is wrong with a folder concerns all files in it; a link or a pipe in place of a file concerns that file. */
  #fail(file: string, error: unknown): void {
    const isOfFile = FAULTS_OF_FILES.has((error as NodeJS.ErrnoException).code ?? '');
    const next = isOfFile
      ? 'remove what is in its place, or name another file'
      : 'check the folder and its permissions';
    const about = isOfFile ? file : path.dirname(file);
    const message = `Records cannot be written to ${file} (${reasonOf(error)}). Runs go on without them; ${next}.`;
    if (this.#failing.size < MOST_FAILING) this.#failing.set(about, message);
    this.#warnOnce(about, message);
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

  /** False when the file is neither new nor as this process left it, or is far away. Then nothing has happened yet. */
  #writeAtOnce(file: string, lines: readonly AppendedLine[]): boolean {
    if (!this.#isLocal(path.dirname(file))) return false;
    const known = this.#places.get(file);
    const fd = known ? openKnown(file, known.size) : createNew(file);
    if (fd === undefined) return false;
    try {
      const added = new AddedLines(lines, known ?? BEGINNING);
      if (added.size > added.before.size) appendFileSync(fd, added.text);
      this.#remember(file, added);
      return true;
    } finally {
      closeSync(fd);
    }
  }

  async #writeLines(file: string, lines: readonly AppendedLine[]): Promise<void> {
    const { handle, size } = await openPrivately(file);
    try {
      const known = this.#places.get(file);
      const added = new AddedLines(lines, known?.size === size ? known : await readPlace(handle, size));
      if (added.size > added.before.size) await handle.appendFile(added.text);
      this.#remember(file, added);
    } finally {
      await handle.close();
    }
  }

  #remember(file: string, { size, lastLine }: FilePlace): void {
    this.#places.delete(file);
    this.#places.set(file, { size, lastLine: lastLine && beginningOf(lastLine) });
    const [oldest] = this.#places.keys();
    if (this.#places.size > MAX_REMEMBERED_FILES && oldest !== undefined) this.#places.delete(oldest);
  }

  #warnOnce(about: string, message: string): void {
    if (this.#warned.has(about)) return;
    this.#warned.add(about);
    try {
      this.#warn(message);
    } catch {
      // A listener that fails must not stop the recording.
    }
  }
}

/** Lines that are added to a file together, and the place behind them. */
class AddedLines implements FilePlace {
  readonly before: FilePlace;
  size: number;
  /** The pieces of all lines. They are joined once, because a text of each line would be garbage. */
  readonly #texts: string[] = [];
  #beginOfLast: number | undefined;

  constructor(lines: readonly AppendedLine[], before: FilePlace) {
    this.before = before;
    this.size = before.size;
    for (const line of lines) this.#add(line);
  }

  get text(): string {
    return this.#texts.join('');
  }

  get lastLine(): string | undefined {
    return this.#beginOfLast === undefined ? this.before.lastLine : this.#texts.slice(this.#beginOfLast, -1).join('');
  }

  #add(line: AppendedLine): void {
    const begin = this.#texts.length;
    const bytes = line.write(this, this.#texts);
    if (bytes === undefined) return;
    this.#texts.push('\n');
    this.size += bytes + 1;
    this.#beginOfLast = begin;
  }
}

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
/**
 * The file is opened without blocking; otherwise a pipe in its place would block a thread until a process reads from it.
 */
const OPEN_FLAGS = O_RDWR | O_APPEND | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

const BEGINNING: FilePlace = { size: 0, lastLine: undefined };

/** Opens a file that was not there. Undefined when something is there, a link included, or when the folder is missing. */
function createNew(file: string): number | undefined {
  try {
    return openSync(file, OPEN_FLAGS | O_CREAT | O_EXCL, 0o600);
  } catch {
    return undefined;
  }
}

/** Opens a private regular file of exactly this size. Undefined for everything else, a missing file included. */
function openKnown(file: string, size: number): number | undefined {
  let fd: number;
  try {
    fd = openSync(file, OPEN_FLAGS);
  } catch {
    return undefined;
  }
  const stats = fstatSync(fd);
  if (stats.isFile() && stats.size === size && (stats.mode & 0o077) === 0) return fd;
  closeSync(fd);
  return undefined;
}

async function openPrivately(file: string): Promise<{ readonly handle: FileHandle; readonly size: number }> {
  const flags = OPEN_FLAGS | O_CREAT;
  const handle = await open(file, flags, 0o600).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    return open(file, flags, 0o600);
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw Object.assign(new Error('not a file'), { code: NOT_A_FILE });
    if ((stat.mode & 0o077) !== 0) await handle.chmod(0o600);
    return { handle, size: stat.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readPlace(handle: FileHandle, size: number): Promise<FilePlace> {
  if (size === 0) return BEGINNING;
  const length = Math.min(size, MAX_LAST_LINE);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  const tail = buffer.subarray(0, bytesRead).toString('utf8');
  const [first = '', ...rest] = tail.split('\n');
  // Lines that crashes cut short stay in the file, and the last whole line stands before them.
  const line = (length === size ? [first, ...rest] : rest).findLast(isWhole);
  const lastLine = line && beginningOf(line);
  if (tail.endsWith('\n')) return { size, lastLine };
  // A line that a crash cut short is ended first, so that the next line is not joined to it.
  await handle.appendFile('\n');
  return { size: size + 1, lastLine };
}

function isWhole(line: string): boolean {
  if (!line.endsWith('}')) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** Makes a copy, because a slice would keep the whole line in memory as long as the file is remembered. */
function beginningOf(line: string): string {
  return Buffer.from(line.slice(0, LINE_BEGINNING)).toString();
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ELOOP' ? 'it is a link' : (code ?? 'it failed');
}
