// Compiled code between two processes of the same program. Reading and compiling the program is most of what a start
// costs; V8 can hand out what it has compiled, and take it back later. The cache is a convenience: when anything is
// wrong with it, the program is compiled as if there were none, and no warning is written.
//
// Rules: code is only taken from a file that only the owner of the program and the person who runs it could have written.
// Each piece belongs to one file of the program as it was, and the cache to one exact V8 with its flags. A cache is
// replaced as a whole by one rename.

import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { readInto } from './read-plain-text.ts';
import { systemMemory } from './system-memory.ts';

export interface CodeCachePlaces {
  /** The folder with the program; its name changes with its content. */
  readonly program: string;
  /** Folders for the cache, in the order in which they are tried. */
  readonly folders: readonly string[];
  /** What must be equal in the process that wrote the cache: the kind of process, Node, V8 and its flags. */
  readonly key: string;
}

/** One piece for each file of the program: the compiled code by what tells that file from any other. */
export type CompiledCode = ReadonlyMap<string, Buffer>;

/** The start of every file; it changes with the format. */
const MARK = Buffer.from('atrium code 3\n');
const HASH_BYTES = 32;
/** V8 reads a piece where it is if it begins at a multiple of this, and otherwise makes a copy of it. */
const PIECE_STEP = 8;
/** A program has some hundred pieces and a few megabytes; a file that says otherwise is not one of ours. */
const MOST_BYTES = 64 * 1024 * 1024;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const WRITABLE_BY_OTHERS = 0o022;
/** The cache of a build stays this long after it was written, if the build is gone. */
const LEFT_OVER_MS = 24 * 60 * 60 * 1000;

/** Whatever is written into a file or put in its place gives it another stamp. Hashing the text would take longer. */
export function stampOf(program: string, file: string): string {
  const { ino, size, mtimeMs, ctimeMs } = statSync(file);
  return [relative(program, file), ino, size, mtimeMs, ctimeMs].join(' ');
}

/** Nothing when there is no cache that fits and that can be trusted. Never throws. */
export function readCodeCache(places: CodeCachePlaces): CompiledCode {
  for (const folder of places.folders) {
    try {
      const bytes = readTrusted(folder, fileName(places), trustedOwners(places.program));
      return parse(bytes);
    } catch {
      // The next folder, or no cache.
    }
  }
  return new Map();
}

/** Writes into the first folder that lets it; false when none does. Never throws. */
export function writeCodeCache(places: CodeCachePlaces, code: CompiledCode): boolean {
  const owners = trustedOwners(places.program);
  for (const folder of places.folders) {
    try {
      mkdirSync(folder, { mode: PRIVATE_FOLDER });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') continue;
    }
    try {
      // What could not be read from there later is not worth writing.
      if (!isTrusted(lstatSync(folder), owners, 'folder')) continue;
      const file = join(folder, fileName(places));
      const temporary = `${file}.${process.pid}.new`;
      writeFileSync(temporary, format(code), { mode: PRIVATE_FILE, flag: 'wx' });
      renameSync(temporary, file);
      removeLeftOvers(folder, dirname(places.program));
      return true;
    } catch {
      // The next folder, or no cache.
    }
  }
  return false;
}

function fileName({ program, key }: CodeCachePlaces): string {
  return `${basename(program)}-${key}.bin`;
}

/** The owner of the program could change the program itself, and the person who runs it could run anything else. */
function trustedOwners(program: string): ReadonlySet<number> {
  const own = process.geteuid?.();
  return new Set(own === undefined ? [] : [own, statSync(program).uid]);
}

/** False on systems that do not tell whose a file is, so that there is no cache there. */
function isTrusted(status: Stats, owners: ReadonlySet<number>, kind: 'file' | 'folder'): boolean {
  const isKind = kind === 'file' ? status.isFile() : status.isDirectory();
  return isKind && owners.has(status.uid) && (status.mode & WRITABLE_BY_OTHERS) === 0;
}

function readTrusted(folder: string, name: string, owners: ReadonlySet<number>): Buffer {
  if (!isTrusted(lstatSync(folder), owners, 'folder')) throw new Error('another user could have written there');
  const handle = openSync(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = fstatSync(handle);
    if (!isTrusted(status, owners, 'file') || status.size > MOST_BYTES)
      throw new Error('another user could have written it');
    return readWhole(handle, status.size);
  } finally {
    closeSync(handle);
  }
}

/** The bytes of a file. These are some megabytes that are soon given up. */
function readWhole(handle: number, size: number): Buffer {
  const bytes = systemMemory(size);
  readInto(handle, bytes);
  return bytes;
}

/** The mark, the hash of everything behind it, the length of the table of contents, the table, and the pieces with room between them. */
function format(code: CompiledCode): Buffer {
  const contents = Buffer.from(JSON.stringify([...code].map(([stamp, bytes]) => [stamp, bytes.length])));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(contents.length);
  const body: Buffer[] = [length, contents];
  let at = MARK.length + HASH_BYTES + length.length + contents.length;
  for (const bytes of code.values()) {
    const begin = nextStep(at);
    body.push(Buffer.alloc(begin - at), bytes);
    at = begin + bytes.length;
  }
  const hash = createHash('sha256');
  for (const part of body) hash.update(part);
  return Buffer.concat([MARK, hash.digest(), ...body]);
}

function nextStep(at: number): number {
  return Math.ceil(at / PIECE_STEP) * PIECE_STEP;
}

/** Throws for bytes that `format` has not made as they are. */
function parse(bytes: Buffer): CompiledCode {
  const body = bytes.subarray(MARK.length + HASH_BYTES);
  const hash = bytes.subarray(MARK.length, MARK.length + HASH_BYTES);
  if (!bytes.subarray(0, MARK.length).equals(MARK)) throw new Error('the mark is missing');
  if (!createHash('sha256').update(body).digest().equals(hash)) throw new Error('it is damaged');
  const end = 4 + body.readUInt32LE(0);
  const contents = JSON.parse(body.toString('utf8', 4, end)) as [string, number][];
  const code = new Map<string, Buffer>();
  let at = MARK.length + HASH_BYTES + end;
  for (const [stamp, length] of contents) {
    const begin = nextStep(at);
    at = begin + length;
    code.set(stamp, bytes.subarray(begin, at));
  }
  return code;
}

/** Caches of builds that are gone, and what a process that was killed while it wrote has left. */
function removeLeftOvers(folder: string, builds: string): void {
  const present = new Set(readdirSync(builds));
  for (const name of readdirSync(folder)) {
    const isLeft = !name.endsWith('.bin') || !present.has(name.slice(0, name.indexOf('-')));
    const file = join(folder, name);
    if (isLeft && Date.now() - statSync(file).mtimeMs > LEFT_OVER_MS) rmSync(file, { force: true });
  }
}
