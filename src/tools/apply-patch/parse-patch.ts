// Reads a patch as coding agents write it: files to add, to update in hunks, to move and to delete, between a first and
// a last line. It is strict, because a patch that is only partly understood would be partly applied. It reads no files.
//
// Errors: PatchSyntaxError with the line of the patch and what was expected there.

import type { JsonObject } from '../../protocol/json.ts';
import { clip } from '../../protocol/one-line.ts';
import { PatchSyntaxError } from '../errors.ts';

export type PatchOperation = AddFile | UpdateFile | DeleteFile;

export interface AddFile {
  readonly kind: 'add';
  readonly path: string;
  readonly lines: readonly string[];
}

export interface UpdateFile {
  readonly kind: 'update';
  readonly path: string;
  readonly moveTo?: string | undefined;
  readonly hunks: readonly Hunk[];
}

export interface DeleteFile {
  readonly kind: 'delete';
  readonly path: string;
}

export interface Hunk {
  /** Where it begins in the patch, counted from 1. */
  readonly line: number;
  /** Lines of the file that stand before the change, each behind the one before. */
  readonly headers: readonly string[];
  readonly lines: readonly HunkLine[];
  /** True when the last line of the hunk is the last line of the file. */
  readonly isAtEnd: boolean;
}

export interface HunkLine {
  readonly kind: 'keep' | 'remove' | 'add';
  readonly text: string;
}

const MAX_PATCH_FILES = 100;

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';

export function parsePatch(patch: string): readonly PatchOperation[] {
  const lines = new PatchLines(patch);
  lines.expect(BEGIN);
  const operations: PatchOperation[] = [];
  for (lines.skipBlanks(); lines.peek() !== END; lines.skipBlanks()) {
    if (operations.length === MAX_PATCH_FILES) lines.fail(`a patch changes at most ${MAX_PATCH_FILES} files`);
    operations.push(parseOperation(lines));
  }
  if (operations.length === 0) lines.fail('a file to add, update or delete was expected, and the patch has none');
  lines.expect(END);
  lines.skipBlanks();
  if (lines.peek() !== undefined) lines.fail(`nothing was expected behind "${END}"`);
  return operations;
}

/** The path of a line that names a file to touch; undefined for every other line. */
function pathOfHeader(line: string): string | undefined {
  const header = FILE_HEADERS.find((each) => line.startsWith(each));
  return header === undefined ? undefined : line.slice(header.length).trim();
}

const FILE_HEADERS = ['*** Add File:', '*** Update File:', '*** Delete File:', '*** Move to:'] as const;

function parseOperation(lines: PatchLines): PatchOperation {
  const header = lines.peek() ?? '';
  const path = pathOfHeader(header);
  if (path === undefined || header.startsWith('*** Move to:')) {
    return lines.fail(
      `"*** Add File: <path>", "*** Update File: <path>", "*** Delete File: <path>" or "${END}" was expected`,
    );
  }
  if (path === '') return lines.fail('the path of a file was expected');
  lines.next();
  if (header.startsWith('*** Add File:')) return { kind: 'add', path, lines: parseAddedLines(lines) };
  if (header.startsWith('*** Delete File:')) return { kind: 'delete', path };
  return parseUpdate(path, lines);
}

function parseAddedLines(lines: PatchLines): readonly string[] {
  const added: string[] = [];
  for (let line = lines.peek(); line?.startsWith('+'); line = lines.peek()) added.push((lines.next() ?? '').slice(1));
  const next = lines.peek();
  if (next !== undefined && next !== '' && !next.startsWith('*** ')) {
    lines.fail('every line of a file that is added begins with "+"');
  }
  return added;
}

function parseUpdate(path: string, lines: PatchLines): UpdateFile {
  const move = lines.peek();
  const moveTo = move?.startsWith('*** Move to:') ? pathOfHeader(move) : undefined;
  if (moveTo === '') lines.fail('the new path of the file was expected');
  if (moveTo !== undefined) lines.next();
  const hunks: Hunk[] = [];
  for (let line = lines.peek(); line !== undefined && !isNextOperation(line); line = lines.peek()) {
    hunks.push(parseHunk(lines, hunks.length === 0));
  }
  if (hunks.length === 0 && moveTo === undefined) {
    lines.fail('a hunk was expected: "@@", then lines that begin with a blank, "-" or "+"');
  }
  return { kind: 'update', path, moveTo, hunks };
}

function isNextOperation(line: string): boolean {
  return line === END || pathOfHeader(line) !== undefined;
}

function parseHunk(lines: PatchLines, isFirst: boolean): Hunk {
  const line = lines.number;
  const headers: string[] = [];
  let isMarked = false;
  for (let at = lines.peek(); at === '@@' || at?.startsWith('@@ '); at = lines.peek()) {
    isMarked = true;
    const header = at.slice(3);
    if (/^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(header)) {
      lines.fail('line numbers are not used; write "@@" alone, or "@@ " and a line of the file that stands above');
    }
    if (header.trim() !== '') headers.push(header);
    lines.next();
  }
  if (!isMarked && !isFirst)
    lines.fail('"@@", a line that begins with a blank, "-" or "+", or the next file was expected');
  const changes = parseHunkLines(lines);
  if (changes.length === 0) lines.fail('a line that begins with a blank, "-" or "+" was expected');
  const isAtEnd = lines.peek() === END_OF_FILE;
  if (isAtEnd) lines.next();
  return { line, headers, lines: changes, isAtEnd };
}

const KINDS: Readonly<Record<string, HunkLine['kind']>> = { ' ': 'keep', '-': 'remove', '+': 'add' };

function parseHunkLines(lines: PatchLines): readonly HunkLine[] {
  const changes: HunkLine[] = [];
  let emptyLines = 0;
  for (let line = lines.peek(); line !== undefined; line = lines.peek()) {
    // The blank in front of an empty line is easily lost.
    const kind = line === '' ? 'keep' : KINDS[line[0] ?? ''];
    if (kind === undefined) break;
    changes.push({ kind, text: line.slice(1) });
    emptyLines = line === '' ? emptyLines + 1 : 0;
    lines.next();
  }
  // Empty lines before the next hunk or file were written to part the two; as context they would say nothing either.
  return lines.peek() === END_OF_FILE ? changes : changes.slice(0, changes.length - emptyLines);
}

class PatchLines {
  readonly #lines: readonly string[];
  /** The next line to read; never beyond the last one that says anything. */
  #at = 0;

  constructor(patch: string) {
    const text = patch.replace(/^\ufeff/, '').trimEnd();
    this.#lines = (text === '' ? [] : text.split('\n')).map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
    this.skipBlanks();
  }

  get number(): number {
    return this.#at + 1;
  }

  peek(): string | undefined {
    return this.#lines[this.#at];
  }

  next(): string | undefined {
    return this.#lines[this.#at++];
  }

  skipBlanks(): void {
    while (this.peek() !== undefined && this.peek()?.trim() === '') this.#at++;
  }

  expect(line: string): void {
    if (this.peek() !== line) this.fail(`"${line}" was expected`);
    this.#at++;
  }

  fail(problem: string): never {
    const found = this.peek();
    const shown = found === undefined ? 'the patch ends there' : `it reads ${JSON.stringify(clip(found, 80))}`;
    throw new PatchSyntaxError({ line: this.number, problem: `${problem}, and ${shown}` });
  }
}

/** As written, in order, each once. A patch that could be applied never names more files than are returned. */
export function derivedPathsOf({ input }: JsonObject): readonly string[] {
  if (typeof input !== 'string') return [];
  const paths = new Set<string>();
  for (const line of input.split('\n')) {
    const path = pathOfHeader(line);
    if (path) paths.add(path);
    // A file that moves has two.
    if (paths.size === 2 * MAX_PATCH_FILES) break;
  }
  return [...paths];
}
