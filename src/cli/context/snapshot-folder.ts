// A `context.lock` folder on disk: the situations, and for each a prompt as text and the index of its sections. Files
// are replaced as a whole, so an interrupted update leaves old snapshots or new ones, never halves.

import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Snapshot, SnapshotSection } from '../../context/report/snapshot.ts';
import { openRegularFile } from '../../context/workspace/open-regular-file.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import { SnapshotUnusableError } from '../errors.ts';

export const SNAPSHOT_DIRNAME = 'context.lock';
const SITUATIONS_FILENAME = 'situations.json';
const INDEX_EXTENSION = '.sections.json';
const INDEX_VERSION = 2;
/** Snapshots of this version hold the prompt only, without tools and what plugins add. */
const PROMPT_ONLY_VERSION = 1;
const MAX_LINES = 1_000_000;

export interface StoredSnapshot extends Snapshot {
  /** False when the text was changed after its index was made. */
  readonly isIntact: boolean;
  /** False for a snapshot that an older version made; tools and what plugins add are then not in it. */
  readonly hasRequest: boolean;
}

export class SnapshotFolder {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  get situationsPath(): string {
    return join(this.dir, SITUATIONS_FILENAME);
  }

  /** Undefined when there is none. */
  readSituations(): Promise<string | undefined> {
    return readIfThere(this.situationsPath);
  }

  async writeSituations(text: string): Promise<void> {
    await replaceFile(this.situationsPath, text);
    // Line ends are part of a prompt, so a checkout must not translate them.
    await replaceFile(join(this.dir, '.gitattributes'), '* -text\n');
  }

  /** Undefined when the situation has no snapshot, or one that cannot be read. */
  async read(name: string): Promise<StoredSnapshot | undefined> {
    const [text, index] = await Promise.all([readIfThere(this.textPath(name)), readIfThere(this.indexPath(name))]);
    const parsed = index === undefined ? undefined : parseIndex(index);
    if (text === undefined || parsed === undefined) return undefined;
    const { sections, hash, hasRequest } = parsed;
    return { text, sections, isIntact: hashOf(text) === hash, hasRequest };
  }

  /** Gives true when a file had to be written. */
  async write(
    name: string,
    { text, sections, hasRequest }: Snapshot & { readonly hasRequest: boolean },
  ): Promise<boolean> {
    const index = formatIndex(text, sections, hasRequest ? INDEX_VERSION : PROMPT_ONLY_VERSION);
    const [oldText, oldIndex] = await Promise.all([
      readIfThere(this.textPath(name)),
      readIfThere(this.indexPath(name)),
    ]);
    if (oldText === text && oldIndex === index) return false;
    await replaceFile(this.textPath(name), text);
    await replaceFile(this.indexPath(name), index);
    return true;
  }

  /** The names of snapshots that no situation asks for any more. */
  async strays(names: readonly string[]): Promise<string[]> {
    const found = await readdir(this.dir).catch(() => [] as string[]);
    const stored = found
      .filter((file) => file.endsWith(INDEX_EXTENSION))
      .map((file) => file.slice(0, -INDEX_EXTENSION.length));
    return stored.filter((name) => !names.includes(name)).sort();
  }

  textPath(name: string): string {
    return join(this.dir, `${name}.md`);
  }

  indexPath(name: string): string {
    return join(this.dir, `${name}${INDEX_EXTENSION}`);
  }
}

/** One section a line, so that a review shows which sections moved. */
function formatIndex(text: string, sections: readonly SnapshotSection[], version: number): string {
  const lines = sections.map(({ title, stability, chars, hash, authors }) =>
    JSON.stringify({ title, stability, chars, hash, authors }),
  );
  return `{\n  "version": ${version},\n  "hash": "${hashOf(text)}",\n  "sections": [\n    ${lines.join(',\n    ')}\n  ]\n}\n`;
}

function parseIndex(
  text: string,
): { hash: string; sections: readonly SnapshotSection[]; hasRequest: boolean } | undefined {
  try {
    const { version, hash, sections } = JSON.parse(text) as { version: unknown; hash: string; sections: unknown };
    const hasRequest = version === INDEX_VERSION;
    if (!hasRequest && version !== PROMPT_ONLY_VERSION) return undefined;
    if (!Array.isArray(sections) || !sections.every(isSection)) return undefined;
    return { hash, sections, hasRequest };
  } catch {
    return undefined;
  }
}

function isSection(value: unknown): value is SnapshotSection {
  if (typeof value !== 'object' || value === null) return false;
  const { title, stability, chars, hash, authors } = value as Partial<Record<keyof SnapshotSection, unknown>>;
  return (
    [title, stability, hash].every((field) => typeof field === 'string') &&
    typeof chars === 'number' &&
    Array.isArray(authors) &&
    authors.every(isAuthor)
  );
}

/** An author and a number of lines; a far too large number would fill the memory when it is expanded. */
function isAuthor(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [author, lines] = value as unknown[];
  return typeof author === 'string' && Number.isInteger(lines) && Number(lines) > 0 && Number(lines) <= MAX_LINES;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const handle = await openRegularFile(path);
    try {
      return await handle?.readFile('utf8');
    } finally {
      await handle?.close();
    }
  } catch (error) {
    const { code = 'an unknown error' } = error as NodeJS.ErrnoException;
    throw new SnapshotUnusableError({ path, doing: 'read', detail: code }, { cause: error });
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    // A folder that is a link could lead to a place that must not be written to.
    if ((await lstat(dirname(path))).isSymbolicLink())
      throw Object.assign(new Error(), { code: 'its folder is a link' });
    await writeFile(unfinished, text, { flag: 'wx', mode: 0o600 });
    // Renaming replaces a link instead of writing through it.
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    const { code = 'an unknown error' } = error as NodeJS.ErrnoException;
    throw new SnapshotUnusableError({ path, doing: 'written', detail: code }, { cause: error });
  }
}

function hashOf(text: string): string {
  return sha256Of(text).slice(0, 16);
}
