// Reads files that may become prompt text. Paths are contained after links are followed, only regular files are ever
// opened, sizes are bounded, and an unchanged file costs one stat.
//
// Errors: never throws; everything that can be wrong with a file is a value with a reason.
// Rules: the cache key is path, device, inode, size and both times, so an edit, a replacement of equal size, and a
// link that now points elsewhere are all seen by the next read.

import type { Stats } from 'node:fs';
import { constants, lstat, lstatSync, readdir, readdirSync, stat } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { decodeText } from './decode-text.ts';
import { LocalFolders } from './local-folder.ts';

/** Larger files are treated as data, not as instructions. */
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
  readonly reason: 'missing' | 'outside-workspace' | 'too-large' | 'unreadable' | 'disabled';
  readonly detail: string;
  /** True when a directory entry of this name exists, even though nothing can be read through it. */
  readonly entryExists: boolean;
  readonly cause?: unknown;
  /** Set when the file was refused because it has several names. */
  readonly hardLink?: { readonly identity: string; readonly names: number } | undefined;
}

/** What a report says of a file that is absent. */
export interface WhyAbsent extends Pick<FileAbsent, 'reason' | 'detail'> {
  readonly isThere?: true | undefined;
}

/** What a caller knows about a file beyond the roots, so that a file with several names can be read. */
export interface FileTrust {
  /** Folders that the operator allowed by name; a file in one of them may have other names anywhere. */
  readonly folders?: readonly string[] | undefined;
  /** How many names of this file the caller has found inside the roots. All of them are known when it has no more. */
  readonly names?: number | undefined;
}

export interface FileSource {
  /** Reads `path` if its real path lies in one of `roots`. A file with several names is read only with trust. */
  read(path: string, roots: readonly string[], trust?: FileTrust): Promise<FileRead>;
  /**
   * Returns the sorted names in a directory; none when it does not exist, undefined when it exists and cannot be
   * listed.
   */
  list(dir: string): Promise<readonly string[] | undefined>;
  isDirectory(path: string): Promise<boolean>;
  /** Returns the path after links are followed, as far as it exists, or the path itself when nothing of it exists. */
  realPath(path: string): Promise<string>;
}

/** Reads files of one directory by name. Names that the directory does not hold cost nothing. */
export async function readNames(
  files: FileSource,
  dir: string,
  names: readonly string[],
  roots: readonly string[],
): Promise<readonly FileRead[]> {
  const listed = await files.list(dir);
  const held = listed && new Set(listed);
  return Promise.all(
    names.map((name) => {
      const path = join(dir, name);
      return !held || held.has(name) ? files.read(path, roots) : notThere(path);
    }),
  );
}

interface CacheEntry {
  readonly key: string;
  readonly bounds: string;
  readonly read: FileRead;
}

/** Where a file may be, and what is known about its names. */
interface Bounds {
  readonly roots: readonly string[];
  readonly trust: FileTrust;
}

const NO_TRUST: FileTrust = {};

/** The same text for the same bounds, for caches. Most reads have one root and no trust. */
export function keyOfBounds(roots: readonly string[], { folders = [], names = 1 }: FileTrust = NO_TRUST): string {
  const rooted = roots.length === 1 ? (roots[0] ?? '') : roots.join('\0');
  return folders.length === 0 && names === 1 ? rooted : `${rooted}\0\0${names}\0${folders.join('\0')}`;
}

/** Kernels use a clock for file times that ticks this seldom, so a younger file is read again by the next run. */
const CLOCK_GRAIN_MS = 20;

/** The oldest entries are removed first when either limit is passed. */
const MAX_CACHED_FILES = 4_096;
const MAX_CACHED_CHARS = 64 * 1024 * 1024;
const MAX_ATTEMPTS = 3;

export class CachedFileSource implements FileSource {
  readonly #cache = new Map<string, CacheEntry>();
  readonly #local = new LocalFolders();
  /** The sum of the cached texts' lengths. */
  #cachedChars = 0;

  /** Most reads of a warm run find that a file did not change, so this look is all that they cost. */
  read(path: string, roots: readonly string[], trust: FileTrust = NO_TRUST): Promise<FileRead> {
    return this.#attempt(path, { roots, trust }, 1);
  }

  #attempt(path: string, bounds: Bounds, attempt: number): Promise<FileRead> {
    if (!isPossible(path)) return Promise.resolve(notThere(path));
    if (this.#local.has(dirname(path))) return this.#found(path, bounds, lookNow(path), attempt);
    return new Promise((resolve) => {
      lstat(path, (error, entry) => resolve(this.#found(path, bounds, error ?? entry, attempt)));
    });
  }

  async #found(
    path: string,
    bounds: Bounds,
    entry: Stats | NodeJS.ErrnoException | undefined,
    attempt: number,
  ): Promise<FileRead> {
    if (entry === undefined) return notThere(path);
    if (entry instanceof Error) return absentAfterLook(path, entry, false);
    if (entry.isSymbolicLink()) return this.#readThroughLink(path, bounds, entry, attempt);
    return this.#readFound(path, bounds, entry, keyOf(entry), attempt);
  }

  /** The link is part of the key: a changed link may lead to the same file from a place with other rules. */
  async #readThroughLink(path: string, bounds: Bounds, link: Stats, attempt: number): Promise<FileRead> {
    const target = await statFile(path);
    if (target instanceof Error) return absentAfterLook(path, target, true);
    return this.#readFound(path, bounds, target, `${keyOf(link)}>${keyOf(target)}`, attempt);
  }

  #readFound(path: string, bounds: Bounds, stats: Stats, key: string, attempt: number): FileRead | Promise<FileRead> {
    const boundsKey = keyOfBounds(bounds.roots, bounds.trust);
    const cached = this.#cache.get(path);
    if (cached && cached.key === key && cached.bounds === boundsKey) return cached.read;
    return this.#readAnew(path, bounds, stats, { key, bounds: boundsKey }, attempt);
  }

  async #readAnew(
    path: string,
    bounds: Bounds,
    stats: Stats,
    validity: Pick<CacheEntry, 'key' | 'bounds'>,
    attempt: number,
  ): Promise<FileRead> {
    const read = await readContained(path, bounds, stats);
    if (read === undefined) {
      // Another process is writing; a moment later the file is complete again.
      if (attempt < MAX_ATTEMPTS) return this.#attempt(path, bounds, attempt + 1);
      const detail = 'it changes while it is being read';
      return { kind: 'absent', path, reason: 'unreadable', detail, entryExists: true };
    }
    // A failing disk may recover, and a file that changed within one tick of the clock may change again without a
    // trace.
    const isExplained = read.kind === 'text' || read.reason !== 'unreadable';
    if (isExplained && Date.now() - stats.ctimeMs > CLOCK_GRAIN_MS) this.#remember(path, { ...validity, read });
    return read;
  }

  list(dir: string): Promise<readonly string[] | undefined> {
    if (!isPossible(dir)) return Promise.resolve([]);
    return new Promise((resolve) => {
      const listed = (error: NodeJS.ErrnoException | null, names: string[]) => {
        if (!error) resolve(names.sort());
        else resolve(isNotThere(error) ? [] : undefined);
      };
      if (!this.#local.has(dir)) readdir(dir, listed);
      else {
        try {
          listed(null, readdirSync(dir));
        } catch (error) {
          listed(error as NodeJS.ErrnoException, []);
        }
      }
    });
  }

  async isDirectory(path: string): Promise<boolean> {
    if (!isPossible(path)) return false;
    const found = await statFile(path);
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

function keyOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

/** Node throws for impossible paths, instead of saying that there is no such file. */
function isPossible(path: string): boolean {
  return !path.includes('\0');
}

/** Undefined when there is nothing at this path, which takes an exception less than the error would. */
function lookNow(path: string): Stats | NodeJS.ErrnoException | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

function statFile(path: string): Promise<Stats | NodeJS.ErrnoException> {
  return new Promise((resolve) => stat(path, (error, stats) => resolve(error ?? stats)));
}

function absentAfterLook(path: string, error: NodeJS.ErrnoException, entryExists: boolean): FileAbsent {
  if (!isNotThere(error)) {
    return { kind: 'absent', path, reason: 'unreadable', detail: describe(error), entryExists: true, cause: error };
  }
  if (!entryExists) return notThere(path);
  return { kind: 'absent', path, reason: 'missing', detail: 'a link that leads nowhere', entryExists };
}

/** `isThere` is for `missing` only: every other reason says by itself that something is there. */
export function whyAbsent({ reason, detail, entryExists }: FileAbsent): WhyAbsent {
  return { reason, detail, ...(reason === 'missing' && entryExists ? { isThere: true as const } : {}) };
}

function notThere(path: string): FileAbsent {
  return { kind: 'absent', path, reason: 'missing', detail: 'no such file', entryExists: false };
}

/** Returns undefined when the file changed while it was being read. */
async function readContained(path: string, bounds: Bounds, stats: Stats): Promise<FileRead | undefined> {
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
    const refusal = await refusalOf(real, bounds.roots);
    if (refusal) return absent(...refusal);
    return await readRegularFile(path, real, bounds, stats, absent);
  } catch (error) {
    const reason = isNotThere(error) ? 'missing' : 'unreadable';
    return absent(reason, describe(error), error);
  }
}

/** The file that is read is the file that was checked: no link is followed again, and its identity must be the same. */
async function readRegularFile(
  path: string,
  real: string,
  { roots, trust }: Bounds,
  judged: Stats,
  absent: (reason: FileAbsent['reason'], detail: string) => FileAbsent,
): Promise<FileRead | undefined> {
  const handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.ino !== judged.ino || stats.dev !== judged.dev) return undefined;
    // A folder on the way may have been replaced by a link between the check and the opening.
    const place = await placeOfHandle(handle, path, stats);
    const refusal = await refusalOf(place, roots);
    if (refusal) return absent(...refusal);
    const identity = `${stats.dev}:${stats.ino}`;
    // A further name of the same inode may be anywhere, so it cannot be shown that the file lies inside.
    if (stats.nlink > (trust.names ?? 1) && (await placeInRoots(place, trust.folders ?? [])) === undefined)
      return { ...absent('outside-workspace', HARD_LINK), hardLink: { identity, names: stats.nlink } };
    const bytes = Buffer.allocUnsafe(Math.min(MAX_FILE_BYTES, stats.size) + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length === bytes.length) break;
    }
    if (length > MAX_FILE_BYTES) return absent('too-large', `more than ${MAX_FILE_BYTES} bytes`);
    if (length > stats.size) return undefined;
    const decoded = decodeText(bytes.subarray(0, length));
    if ('problem' in decoded) return absent('unreadable', decoded.problem);
    return { kind: 'text', path, realPath: real, identity, text: decoded.text };
  } finally {
    await handle.close();
  }
}

const HARD_LINK =
  'it is a hard link, whose other names may lie anywhere; to allow it, name the folder that it lies in in bootstrap.allowedRoots';

/** Notes and chat records are stored beside bootstrap files and must not become instructions, even through a link. */
const NEVER_INJECTED = /^(?:memory|\.learnings)[\\/]|(?:^|[\\/])\.openboa[\\/]chat[\\/]/;

async function refusalOf(real: string, roots: readonly string[]): Promise<[FileAbsent['reason'], string] | undefined> {
  const place = await placeInRoots(real, roots);
  if (place === undefined) {
    return ['outside-workspace', `its real path is ${real}; to allow it, name its folder in bootstrap.allowedRoots`];
  }
  if (NEVER_INJECTED.test(place)) return ['disabled', `${place} is for tools to read, and is never injected`];
  return undefined;
}

/** Asks the system where the opened file is. Where the system cannot say, the path must still lead to the same file. */
async function placeOfHandle(handle: FileHandle, path: string, stats: Stats): Promise<string> {
  const known = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (known !== undefined) return known;
  const real = await realpath(path);
  const now = await statFile(real);
  const isSame = !(now instanceof Error) && now.ino === stats.ino && now.dev === stats.dev;
  return isSame ? real : '';
}

/** The path below the first root that holds it; undefined when none does. */
async function placeInRoots(real: string, roots: readonly string[]): Promise<string | undefined> {
  for (const root of roots) {
    const realRoot = await realpath(root).catch(() => undefined);
    if (realRoot !== undefined && isInside(realRoot, real)) return relative(realRoot, real);
  }
  return undefined;
}

/** True when `path` is `root` or below it; both must already be real paths. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** A loop of links, or a path through a file, counts like a missing file. */
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
