// Turns what a handler left in its draft into files with authors. Edits made through the helper are replayed exactly;
// plain assignments are attributed by comparison; anything that is no list of files is refused as a whole.

import type { AgentBootstrapHookContext } from '../../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import { InvalidHandlerResult } from '../../protocol/handler.ts';
import { EDIT_SEPARATOR, type Edit, type EditJournal } from '../bootstrap-edits.ts';
import type { ContextFile, FileChange } from '../composition.ts';
import { type Attribution, attribute } from './attribute.ts';
import type { HandlerOrigin, RuleOrigin } from './origin.ts';
import { type Contribution, EMPTY_ROPE, joinRopes, type Rope, ropeText, type Span } from './rope.ts';

/** A handler's private copy of the files, and which copy stands for which original. */
export interface HandlerDraft {
  readonly context: AgentBootstrapHookContext;
  /** The handler's copies, in the order of the files that they are copies of. */
  readonly copies: readonly WorkspaceBootstrapFile[];
}

export interface AdoptedFiles {
  readonly files: readonly ContextFile[];
  /** The same files as data from which the handler's work can be done again; undefined when it changed nothing. */
  readonly left?: readonly LeftFile[] | undefined;
  readonly changes: readonly FileChange[];
  readonly removed: readonly ContextFile[];
  readonly renamed: readonly { readonly from: ContextFile; readonly to: string }[];
}

/**
 * A file as a handler left it: its number in the list that the handler was given when it is unchanged, else what it is
 * now. Where edits through the helper tell everything, the text itself is not repeated.
 */
export type LeftFile = number | ChangedFile;

export interface ChangedFile {
  /** Undefined for a file that the handler added. */
  readonly from?: number | undefined;
  readonly name: string;
  readonly path: string;
  readonly missing: boolean;
  readonly content?: string | undefined;
  readonly edits?: readonly Edit[] | undefined;
}

type Author = HandlerOrigin | RuleOrigin;

/** A handler that leaves more files than this has a faulty loop. */
const MAX_FILES = 10_000;

/** `given` is the context as the handler gave it back, which need not be the object that it was handed. */
export function adoptDraft(
  before: readonly ContextFile[],
  given: unknown,
  copies: HandlerDraft['copies'],
  journal: EditJournal,
  author: Author,
): AdoptedFiles {
  const entries = entriesOf(given);
  if (isUntouched(before, entries, copies)) return { files: before, changes: [], removed: [], renamed: [] };

  const originals = originalsOf(before, entries, copies);
  const changes: FileChange[] = [];
  const renamed: { from: ContextFile; to: string }[] = [];
  const left: LeftFile[] = [];
  const places = new Map(before.map((file, index) => [file, index]));
  const files = entries.map((entry, index) => {
    const original = originals[index];
    const from = original && places.get(original);
    if (original && from !== undefined && isCopyOf(entry as WorkspaceBootstrapFile, original)) {
      left.push(from);
      return original;
    }
    const file = readEntry(entry, index);
    const adopted = adoptFile(file, original, journal.edits.get(entry as WorkspaceBootstrapFile), author);
    const { content, ...named } = file;
    left.push({ from, ...named, ...(adopted.edits ? { edits: adopted.edits } : { content }) });
    changes.push(...adopted.changes);
    if (original && original.name !== file.name && !original.missing) renamed.push({ from: original, to: file.name });
    return adopted.file;
  });
  const kept = new Set(originals);
  const removed = originals === before ? [] : before.filter((file) => !kept.has(file));
  for (const file of removed)
    changes.push({ file: file.name, change: 'removed', addedText: '', removedText: file.content ?? '' });
  return { files, left, changes, removed: removed.filter((file) => !file.missing), renamed };
}

/** Finds which original each entry came from. Most handlers leave the entries where they are. */
function originalsOf(
  before: readonly ContextFile[],
  entries: readonly unknown[],
  copies: HandlerDraft['copies'],
): readonly (ContextFile | undefined)[] {
  if (copies.every((copy, index) => copy === entries[index])) return before;
  const byCopy = new Map<unknown, ContextFile | undefined>(copies.map((copy, index) => [copy, before[index]]));
  const unmatched = new Set(before);
  for (const entry of entries) {
    const original = byCopy.get(entry);
    if (original) unmatched.delete(original);
  }
  return entries.map((entry, index) => byCopy.get(entry) ?? takeOriginal(unmatched, readEntry(entry, index)));
}

/** Copies by index, because the handler made the list, and with it its methods and its holes. */
function entriesOf(left: unknown): readonly unknown[] {
  if (typeof left !== 'object' || left === null) throw new InvalidHandlerResult('the context is not an object');
  const list: unknown = (left as Partial<AgentBootstrapHookContext>).bootstrapFiles;
  if (!Array.isArray(list)) throw new InvalidHandlerResult('bootstrapFiles is not a list');
  const { length } = list;
  if (length > MAX_FILES) throw new InvalidHandlerResult(`bootstrapFiles has ${length} entries`);
  const entries: unknown[] = [];
  for (let index = 0; index < length; index++) entries.push(list[index]);
  return entries;
}

function isUntouched(
  before: readonly ContextFile[],
  entries: readonly unknown[],
  copies: HandlerDraft['copies'],
): boolean {
  if (entries.length !== before.length) return false;
  return before.every((original, index) => copies[index] === entries[index] && isCopyOf(copies[index], original));
}

function isCopyOf(copy: WorkspaceBootstrapFile | undefined, original: ContextFile): boolean {
  return (
    copy !== undefined &&
    copy.content === original.content &&
    copy.name === original.name &&
    copy.path === original.path &&
    copy.missing === original.missing
  );
}

interface DraftEntry {
  readonly name: string;
  /** Absent when the handler gave none; a later stage drops the entry and says so. */
  readonly path: string;
  readonly content: string | undefined;
  readonly missing: boolean;
}

function readEntry(entry: unknown, index: number): DraftEntry {
  if (typeof entry !== 'object' || entry === null) throw new InvalidHandlerResult(`entry ${index} is not an object`);
  const given = entry as Partial<Record<keyof WorkspaceBootstrapFile, unknown>>;
  const { path, content, missing } = given;
  const name = given.name ?? lastPart(path);
  if (typeof name !== 'string') throw new InvalidHandlerResult(`entry ${index} has no name`);
  if (content !== undefined && content !== null && typeof content !== 'string') {
    throw new InvalidHandlerResult(`the content of ${name} is not a string`);
  }
  return { name, path: typeof path === 'string' ? path : '', content: content ?? undefined, missing: missing === true };
}

/** Published packs add files by path alone; such a file gets the name that it has on disk. */
function lastPart(path: unknown): string | undefined {
  return typeof path === 'string' ? path.split(/[/\\]/).findLast((part) => part !== '') : undefined;
}

/** A handler that rebuilds its list with fresh objects still means the same files. */
function takeOriginal(unmatched: Set<ContextFile>, file: DraftEntry): ContextFile | undefined {
  for (const original of unmatched) {
    if (original.path === file.path && original.name === file.name) {
      unmatched.delete(original);
      return original;
    }
  }
  return undefined;
}

function adoptFile(
  file: DraftEntry,
  original: ContextFile | undefined,
  edits: readonly Edit[] | undefined,
  author: Author,
): { file: ContextFile; changes: readonly FileChange[]; edits?: readonly Edit[] | undefined } {
  const { name, path, content, missing } = file;
  const moves = original ? describeMove(original, file) : [];
  const realPath = original?.path === path ? original.realPath : undefined;
  if (original && original.content === content && original.missing === missing) {
    return { file: moves.length > 0 ? { ...original, name, path, realPath } : original, changes: moves };
  }
  const before = original?.rope ?? EMPTY_ROPE;
  const exact = edits && replay(before, edits, author);
  const after = content ?? '';
  const attribution =
    exact !== undefined && ropeText(exact) === after
      ? { rope: exact, edits }
      : attribute(before, after, author, original?.content ?? '');
  const adopted: ContextFile = {
    name,
    path,
    missing,
    rope: attribution.rope,
    content,
    realPath,
    source: original?.source,
    absence: missing ? whyMissing(original, author) : undefined,
  };
  const told = 'edits' in attribution ? attribution.edits : undefined;
  return { file: adopted, changes: [...moves, describeChange(adopted, original, attribution)], edits: told };
}

function whyMissing(original: ContextFile | undefined, author: Author): ContextFile['absence'] {
  if (original && !original.missing)
    return { reason: 'removed-by-handler', detail: `marked as missing by ${author.id}` };
  return original?.absence ?? { reason: 'missing', detail: `left as missing by ${author.id}` };
}

function replay(before: Rope, edits: readonly Edit[], author: Author): Rope {
  let rope = before;
  for (const edit of edits) {
    const separatorText = edit.separated ? EDIT_SEPARATOR : '';
    const contribution: Contribution = {
      by: author.id,
      chars: separatorText.length + edit.parts.reduce((sum, part) => sum + part.text.length, 0),
      separator: separatorText,
      at: edit.addsTo ?? (edit.mode === 'append' ? 'end' : edit.mode === 'prepend' ? 'start' : 'whole'),
      ...(edit.addsTo ? { addsToMissing: true } : {}),
    };
    const parts = edit.parts.map(({ text, from }): Span => {
      if (!from) return { text, origin: author, contribution };
      return { text, origin: { ...author, path: from.path }, source: from.source, start: from.start, contribution };
    });
    const separator: Span[] = edit.separated ? [{ text: EDIT_SEPARATOR, origin: author, contribution }] : [];
    if (edit.mode === 'append') rope = joinRopes(rope, separator, parts);
    else if (edit.mode === 'prepend') rope = joinRopes(parts, separator, rope);
    else rope = joinRopes(parts);
  }
  return rope;
}

const EDIT_CHANGES = { append: 'appended', prepend: 'prepended', replace: 'replaced', add: 'replaced' } as const;

function describeMove(original: ContextFile, { name, path }: DraftEntry): readonly FileChange[] {
  if (original.name !== name)
    return [{ file: original.name, change: 'renamed', addedText: name, removedText: original.name }];
  if (original.path !== path) return [{ file: name, change: 'renamed', addedText: path, removedText: original.path }];
  return [];
}

function describeChange(
  { name, content = '', missing }: ContextFile,
  original: ContextFile | undefined,
  attribution: Attribution | { readonly edits: readonly Edit[] | undefined },
): FileChange {
  if (!original) return { file: name, change: 'added', addedText: content, removedText: '' };
  if (missing && !original.missing)
    return { file: name, change: 'removed', addedText: '', removedText: original.content ?? '' };
  if ('edits' in attribution) return describeEdits(name, original, attribution.edits ?? []);
  const { added, removed, rewritten } = attribution;
  return { file: name, change: rewritten ? 'rewritten' : 'edited', addedText: added, removedText: removed };
}

/** A replacement removes all text before it, also an earlier edit of the same handler. */
function describeEdits(name: string, original: ContextFile, edits: readonly Edit[]): FileChange {
  const whole = edits.findLastIndex(({ mode }) => mode === 'replace' || mode === 'add');
  const lasting = edits.slice(Math.max(0, whole));
  const first = lasting.length === 1 ? lasting[0] : undefined;
  return {
    file: name,
    change: first ? EDIT_CHANGES[first.mode] : whole === -1 ? 'edited' : 'replaced',
    addedText: lasting.flatMap(({ parts }) => parts.map((part) => part.text)).join(''),
    removedText: whole === -1 ? '' : (original.content ?? ''),
  };
}
