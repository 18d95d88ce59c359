// The full-text indexes over the memories of a few agents, the longest unused of which is dropped. An index is made at
// the first search and holds copies only; before each search it takes in what changed on the disk since. Searches wait
// for each other, so that no index is closed under one.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Statement } from '../../store/sqlite/database.ts';
import { OneAtATime } from '../one-at-a-time.ts';
import { listMemoryFiles, type MemoryFile, readMemoryFile } from './memory-files.ts';

export interface MemoryHit {
  readonly path: string;
  readonly firstLine: number;
  readonly lastLine: number;
  /** The headings above it. */
  readonly heading: string;
  readonly text: string;
  /** Larger is better; comparable within one search only. */
  readonly score: number;
}

export interface MemorySearch {
  readonly hits: readonly MemoryHit[];
  readonly files: number;
  /** Files that are too large or too many to be searched. */
  readonly leftOut: readonly string[];
}

export interface MemorySearchRequest {
  readonly workspaceDir: string;
  readonly query: string;
  readonly maxResults: number;
  readonly signal: AbortSignal;
}

export interface MemoryIndexOptions {
  readonly now: () => number;
  /** How many workspaces keep their index. */
  readonly capacity?: number | undefined;
  /** After so long without a search, the memory is freed. */
  readonly idleMs?: number | undefined;
}

/** The most bytes of all files of one workspace. */
const MAX_INDEXED_BYTES = 4 * 1024 * 1024;

export class MemoryIndexes {
  readonly #turns = new OneAtATime();
  /** By workspace, the one that was used last at the end. */
  readonly #indexes = new Map<string, MemoryIndex>();
  readonly #now: () => number;
  readonly #capacity: number;
  readonly #idleMs: number;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor({ now, capacity = 4, idleMs = 10 * 60_000 }: MemoryIndexOptions) {
    this.#now = now;
    this.#capacity = capacity;
    this.#idleMs = idleMs;
  }

  /** How many indexes are held. */
  get size(): number {
    return this.#indexes.size;
  }

  search(request: MemorySearchRequest): Promise<MemorySearch> {
    return this.#turns.run('search', async () => {
      request.signal.throwIfAborted();
      const index = await this.#open(request.workspaceDir);
      try {
        return await index.search(request);
      } catch (error) {
        // Its state is not known, so the next search makes a new index.
        this.#drop(request.workspaceDir);
        throw error;
      } finally {
        clearTimeout(this.#idleTimer);
        this.#idleTimer = setTimeout(() => void this.close(), this.#idleMs).unref();
      }
    });
  }

  /** Frees the memory. A later search begins anew. */
  close(): Promise<void> {
    return this.#turns.run('search', async () => {
      clearTimeout(this.#idleTimer);
      for (const workspaceDir of [...this.#indexes.keys()]) this.#drop(workspaceDir);
    });
  }

  async #open(workspaceDir: string): Promise<MemoryIndex> {
    const index = this.#indexes.get(workspaceDir) ?? new MemoryIndex(await openIndexDatabase(), this.#now);
    this.#indexes.delete(workspaceDir);
    this.#indexes.set(workspaceDir, index);
    for (const oldest of [...this.#indexes.keys()].slice(0, -this.#capacity)) this.#drop(oldest);
    return index;
  }

  #drop(workspaceDir: string): void {
    this.#indexes.get(workspaceDir)?.close();
    this.#indexes.delete(workspaceDir);
  }
}

interface IndexedFile {
  readonly stamp: string;
  readonly firstRow: number;
  readonly lastRow: number;
}

/** A file that changed so recently may change again with the same time stamp, because disk clocks are coarse. */
const BLUR_MS = 100;
/** After so many rows, other work gets its turn. */
const ROWS_AT_A_TIME = 100;

class MemoryIndex {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #insert: Statement;
  readonly #delete: Statement;
  readonly #select: Statement;
  /** The files by their path; the rows of a file follow each other. */
  readonly #files = new Map<string, IndexedFile>();
  #lastRow = 0;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
    this.#insert = database.prepare(
      'INSERT INTO chunks (rowid, heading, body, path, first_line, last_line, title, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#delete = database.prepare('DELETE FROM chunks WHERE rowid BETWEEN ? AND ?');
    // Headings and names of files say what a piece is about, so they weigh more.
    this.#select = database.prepare(
      'SELECT path, first_line, last_line, title, text, -bm25(chunks, 2.0, 1.0) FROM chunks WHERE chunks MATCH ? ORDER BY bm25(chunks, 2.0, 1.0), rowid LIMIT ?',
    );
  }

  async search({ workspaceDir, query, maxResults, signal }: MemorySearchRequest): Promise<MemorySearch> {
    const leftOut = await this.#refresh(workspaceDir, signal);
    const words = fullTextQuery(query);
    const rows: readonly unknown[] = words === undefined ? [] : this.#select.all(words, maxResults);
    return { hits: rows.map(hitOf), files: this.#files.size, leftOut };
  }

  close(): void {
    this.#database.close();
  }

  async #refresh(workspaceDir: string, signal: AbortSignal): Promise<readonly string[]> {
    const listing = await listMemoryFiles(workspaceDir);
    const leftOut = [...listing.leftOut];
    const wanted: MemoryFile[] = [];
    let bytes = 0;
    for (const file of listing.files) {
      if (bytes + file.bytes > MAX_INDEXED_BYTES) leftOut.push(file.path);
      else {
        bytes += file.bytes;
        wanted.push(file);
      }
    }
    const paths = new Set(wanted.map(({ path }) => path));
    for (const path of [...this.#files.keys()]) if (!paths.has(path)) this.#forget(path);
    for (const file of wanted) {
      if (this.#files.get(file.path)?.stamp === file.stamp) continue;
      signal.throwIfAborted();
      const text = await readMemoryFile(workspaceDir, file.path);
      this.#forget(file.path);
      if (text !== undefined) await this.#add(file, text);
    }
    return leftOut;
  }

  #forget(path: string): void {
    const file = this.#files.get(path);
    if (!file) return;
    this.#delete.run(file.firstRow, file.lastRow);
    this.#files.delete(path);
  }

  async #add({ path, stamp, changedAt }: MemoryFile, text: string): Promise<void> {
    const firstRow = this.#lastRow + 1;
    this.#database.exec('BEGIN');
    for (const chunk of memoryChunks(text)) {
      if (this.#lastRow % ROWS_AT_A_TIME === 0) await nextTurn();
      const heading = searchableText(`${path} ${chunk.heading}`);
      const body = searchableText(chunk.text);
      const { firstLine, lastLine } = chunk;
      this.#insert.run(++this.#lastRow, heading, body, path, firstLine, lastLine, chunk.heading, chunk.text);
    }
    this.#database.exec('COMMIT');
    const isFresh = Math.abs(this.#now() - changedAt) < BLUR_MS;
    this.#files.set(path, { stamp: isFresh ? '' : stamp, firstRow, lastRow: this.#lastRow });
  }
}

function hitOf(row: unknown): MemoryHit {
  const [path, firstLine, lastLine, heading, text, score] = row as [string, number, number, string, string, number];
  return { path, firstLine, lastLine, heading, text, score };
}

/** The most pages of 4 KiB that texts, their copies for searching, and the index over them may take. */
const MAX_PAGES = 8_192;

async function openIndexDatabase(): Promise<Database> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const database = new DatabaseSync(':memory:', { returnArrays: true });
  database.exec(`PRAGMA max_page_count = ${MAX_PAGES}; PRAGMA temp_store = MEMORY`);
  database.exec(`
    CREATE VIRTUAL TABLE chunks USING fts5 (
      heading, body, path UNINDEXED, first_line UNINDEXED, last_line UNINDEXED, title UNINDEXED, text UNINDEXED,
      tokenize = "unicode61 remove_diacritics 2"
    )`);
  return database;
}

/** The same text with blanks around every letter of a script that has none between words. */
function searchableText(text: string): string {
  // Written here and not beside the function, because looking up scripts of letters takes a part of a start.
  const unspaced =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
  return text.normalize('NFKC').replace(unspaced, ' $& ');
}

/** Undefined when there is nothing to look for. */
function fullTextQuery(text: string): string | undefined {
  const words = text.normalize('NFKC').match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const terms = new Set(words.flatMap(termsOf));
  return terms.size === 0 ? undefined : [...terms].slice(0, MAX_TERMS).join(' OR ');
}

const MAX_TERMS = 32;
/** Too many words begin with one or two given letters. */
const SHORTEST_BEGINNING = 3;

function termsOf(word: string): readonly string[] {
  const letters = searchableText(word).trim().split(/\s+/);
  if (letters.length === 1) return [word.length < SHORTEST_BEGINNING ? `"${word}"` : `"${word}"*`];
  return letters.slice(1).map((letter, at) => `"${letters[at]} ${letter}"`);
}

export interface MemoryChunk {
  /** Counted from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** The headings above it, from the top down. */
  readonly heading: string;
  readonly text: string;
}

const MAX_CHUNK_CHARS = 800;

function memoryChunks(text: string): readonly MemoryChunk[] {
  const chunks: MemoryChunk[] = [];
  const headings: string[] = [];
  let open: string[] = [];
  let size = 0;
  let firstLine = 1;
  let fence = '';
  const close = (nextLine: number) => {
    const trimmed = open.join('\n').trimEnd();
    if (trimmed.trim() !== '') {
      const lastLine = firstLine + trimmed.split('\n').length - 1;
      chunks.push({ firstLine, lastLine, heading: headings.filter(Boolean).join(' > '), text: trimmed });
    }
    open = [];
    size = 0;
    firstLine = nextLine;
  };
  text.split(/\r?\n/).forEach((line, index) => {
    const number = index + 1;
    const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    const heading = fence === '' ? /^ {0,3}(#{1,6})\s(.*)$/.exec(line) : null;
    if (heading) {
      close(number);
      const [, marks = '', title = ''] = heading;
      headings.length = Math.min(headings.length, marks.length - 1);
      while (headings.length < marks.length - 1) headings.push('');
      headings.push(title.slice(0, MAX_HEADING_CHARS).trim());
    } else if (open.length === 0 && line.trim() === '') {
      firstLine = number + 1;
      return;
    } else if (size > MAX_CHUNK_CHARS / 2 && line.trim() === '' && fence === '') {
      close(number + 1);
      return;
    } else if (size > 0 && size + line.length > MAX_CHUNK_CHARS) {
      close(number);
    }
    if (mark !== '') fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence;
    for (const piece of piecesOf(line)) {
      if (size > 0 && size + piece.length > MAX_CHUNK_CHARS) close(number);
      open.push(piece);
      size += piece.length + 1;
    }
  });
  close(0);
  return chunks;
}

const MAX_HEADING_CHARS = 200;

/** A line that is a whole page by itself is several pieces of one line. */
function piecesOf(line: string): readonly string[] {
  if (line.length <= MAX_CHUNK_CHARS) return [line];
  const pieces: string[] = [];
  for (let start = 0; start < line.length; ) {
    const isPairCut = /[\ud800-\udbff]/.test(line[start + MAX_CHUNK_CHARS - 1] ?? '');
    const end = start + MAX_CHUNK_CHARS - (isPairCut ? 1 : 0);
    pieces.push(line.slice(start, end));
    start = end;
  }
  return pieces;
}
