// Reads files that may become prompt text. Paths are contained after links are followed, only regular files are ever
// opened, sizes are bounded, and an unchanged file costs one stat.
//
// Errors: never throws; everything that can be wrong with a file is a value with a reason.
// Rules: the cache key is path, device, inode, size and both times, so an edit, a replacement of equal size, and a
// link that now points elsewhere are all seen by the next read.

import type { Stats } from 'node:fs';
import { constants, lstat, readdir, stat } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

/** Larger files are data, not instructions. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024;

export type FileRead = FileText | FileAbsent;

export interface FileText {
  readonly kind: 'text';
  readonly path: string;
  readonly realPath: string;
  /** `device:inode`, to tell that two paths are one file. */
  readonly identity: string;
  readonly text: string;
}

export interface FileAbsent {
  readonly kind: 'absent';
  readonly path: string;
  readonly reason: 'missing' | 'outside-workspace' | 'too-large' | 'unreadable';
  readonly detail: string;
  /** True when a directory entry of this name exists, even though nothing can be read through it. */
  readonly entryExists: boolean;
  readonly cause?: unknown;
}

export interface FileSource {
  /** Reads `path` if its real path lies in one of `roots`. */
  read(path: string, roots: readonly string[]): Promise<FileRead>;
  /** The names in a directory, sorted; none when it cannot be listed. */
  list(dir: string): Promise<readonly string[]>;
  isDirectory(path: string): Promise<boolean>;
  /** The path after links are followed, as far as it exists; the path itself when nothing of it does. */
  realPath(path: string): Promise<string>;
}

/** Reads files of one directory by name. Names that the directory does not hold cost nothing. */
export async function readNames(
  files: FileSource,
  dir: string,
  names: readonly string[],
  roots: readonly string[],
): Promise<readonly FileRead[]> {
  const held = new Set(await files.list(dir));
  return Promise.all(
    names.map((name) => {
      const path = join(dir, name);
      return held.has(name) ? files.read(path, roots) : notThere(path);
    }),
  );
}

interface CacheEntry {
  readonly key: string;
  readonly roots: string;
  readonly read: FileRead;
}

/** The oldest entries go first when either bound is passed. */
const MAX_CACHED_FILES = 4_096;
const MAX_CACHED_CHARS = 64 * 1024 * 1024;

export class CachedFileSource implements FileSource {
  readonly #cache = new Map<string, CacheEntry>();
  /** The sum of the cached texts' lengths. */
  #cachedChars = 0;

  async read(path: string, roots: readonly string[]): Promise<FileRead> {
    const found = await findEntry(path);
    if ('absent' in found) return found.absent;
    const { stats } = found;
    const key = `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
    const rootsKey = roots.length === 1 ? (roots[0] ?? '') : roots.join('\0');
    const cached = this.#cache.get(path);
    if (cached && cached.key === key && cached.roots === rootsKey) return cached.read;
    const read = await readContained(path, roots, stats);
    // A failing disk may recover, so only answers that the key fully explains are remembered.
    if (read.kind === 'text' || read.reason !== 'unreadable') this.#remember(path, { key, roots: rootsKey, read });
    return read;
  }

  list(dir: string): Promise<readonly string[]> {
    return new Promise((resolve) => readdir(dir, (error, names) => resolve(error ? [] : names.sort())));
  }

  async isDirectory(path: string): Promise<boolean> {
    const found = await look(stat, path);
    return !(found instanceof Error) && found.isDirectory();
  }

  async realPath(path: string): Promise<string> {
    try {
      return await realpath(path);
    } catch {
      return path;
    }
  }

  #remember(path: string, entry: CacheEntry): void {
    this.#forget(path);
    this.#cache.set(path, entry);
    this.#cachedChars += cachedLength(entry);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= MAX_CACHED_FILES && this.#cachedChars <= MAX_CACHED_CHARS) break;
      this.#forget(oldest);
    }
  }

  #forget(path: string): void {
    const entry = this.#cache.get(path);
    if (!entry) return;
    this.#cachedChars -= cachedLength(entry);
    this.#cache.delete(path);
  }
}

function cachedLength(entry: CacheEntry): number {
  return entry.read.kind === 'text' ? entry.read.text.length : 0;
}

/** The entry itself first: it answers for everything but links, and most files are neither links nor there at all. */
async function findEntry(path: string): Promise<{ stats: Stats } | { absent: FileAbsent }> {
  const entry = await look(lstat, path);
  if (entry instanceof Error) return { absent: absentAfterLook(path, entry, false) };
  if (!entry.isSymbolicLink()) return { stats: entry };
  const target = await look(stat, path);
  return target instanceof Error ? { absent: absentAfterLook(path, target, true) } : { stats: target };
}

/** The callback form is the cheapest asynchronous look at a file that Node offers, and a warm run consists of little else. */
function look(how: typeof lstat | typeof stat, path: string): Promise<Stats | NodeJS.ErrnoException> {
  return new Promise((resolve) => how(path, (error, stats) => resolve(error ?? stats)));
}

function absentAfterLook(path: string, error: NodeJS.ErrnoException, entryExists: boolean): FileAbsent {
  if (!isNotThere(error)) {
    return { kind: 'absent', path, reason: 'unreadable', detail: describe(error), entryExists: true, cause: error };
  }
  if (!entryExists) return notThere(path);
  return { kind: 'absent', path, reason: 'missing', detail: 'a link that leads nowhere', entryExists };
}

function notThere(path: string): FileAbsent {
  return { kind: 'absent', path, reason: 'missing', detail: 'no such file', entryExists: false };
}

async function readContained(path: string, roots: readonly string[], stats: Stats): Promise<FileRead> {
  const absent = (reason: FileAbsent['reason'], detail: string, cause?: unknown): FileAbsent => ({
    kind: 'absent',
    path,
    reason,
    detail,
    entryExists: true,
    ...(cause === undefined ? {} : { cause }),
  });
  if (!stats.isFile()) return absent('missing', `not a regular file but ${describeKind(stats)}`);
  if (stats.size > MAX_FILE_BYTES)
    return absent('too-large', `${stats.size} bytes; at most ${MAX_FILE_BYTES} are read`);
  try {
    const real = await realpath(path);
    if (!(await isContained(real, roots))) return absent('outside-workspace', `its real path is ${real}`);
    return await readRegularFile(path, real, stats, absent);
  } catch (error) {
    const reason = isNotThere(error) ? 'missing' : 'unreadable';
    return absent(reason, describe(error), error);
  }
}

/** The file that is read is the file that was judged: no link is followed again, and its identity must not have changed. */
async function readRegularFile(
  path: string,
  real: string,
  judged: Stats,
  absent: (reason: FileAbsent['reason'], detail: string) => FileAbsent,
): Promise<FileRead> {
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.ino !== judged.ino || stats.dev !== judged.dev) {
      return absent('unreadable', 'it was replaced while being read');
    }
    // A second name of the same inode may live anywhere, so containment cannot be shown.
    if (stats.nlink > 1) return absent('outside-workspace', 'it is a hard link, whose other names may lie anywhere');
    const bytes = Buffer.allocUnsafe(Math.min(MAX_FILE_BYTES, stats.size) + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length === bytes.length) break;
    }
    if (length > MAX_FILE_BYTES) return absent('too-large', `more than ${MAX_FILE_BYTES} bytes`);
    if (length > stats.size) return absent('unreadable', 'it grew while being read');
    return {
      kind: 'text',
      path,
      realPath: real,
      identity: `${stats.dev}:${stats.ino}`,
      text: bytes.toString('utf8', 0, length),
    };
  } finally {
    await handle.close();
  }
}

async function isContained(real: string, roots: readonly string[]): Promise<boolean> {
  for (const root of roots) {
    const realRoot = await realpath(root).catch(() => root);
    if (isInside(realRoot, real)) return true;
  }
  return false;
}

/** True when `path` is `root` or below it; both must already be real paths. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** A loop of links or a path through a file leads nowhere, which is the same as not being there. */
function isNotThere(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG';
}

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  return code ?? message;
}

function describeKind(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
