// Turns what a handler left in its draft into files with authors. Edits made through the helper are replayed exactly;
// plain assignments are attributed by comparison; anything that is no list of files is refused as a whole.

import type { AgentBootstrapHookContext } from '../../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import { InvalidHandlerResult } from '../../protocol/handler.ts';
import { EDIT_SEPARATOR, type Edit, type EditJournal } from '../bootstrap-edits.ts';
import type { ContextFile, FileChange } from '../composition.ts';
import { attribute } from './attribute.ts';
import type { HandlerOrigin, RuleOrigin } from './origin.ts';
import { type Contribution, EMPTY_ROPE, joinRopes, type Rope, ropeText, type Span } from './rope.ts';

/** A handler's private copy of the files, and which copy stands for which original. */
export interface HandlerDraft {
  readonly context: AgentBootstrapHookContext;
  readonly originals: ReadonlyMap<WorkspaceBootstrapFile, ContextFile>;
}

export interface AdoptedFiles {
  readonly files: readonly ContextFile[];
  readonly changes: readonly FileChange[];
  readonly removed: readonly ContextFile[];
}

type Author = HandlerOrigin | RuleOrigin;

/** More files than this is a runaway loop, not a workspace. */
const MAX_FILES = 10_000;

export function adoptDraft(
  before: readonly ContextFile[],
  draft: HandlerDraft,
  journal: EditJournal,
  author: Author,
): AdoptedFiles {
  const left: unknown = draft.context.bootstrapFiles;
  if (!Array.isArray(left)) throw new InvalidHandlerResult('bootstrapFiles is not a list');
  if (left.length > MAX_FILES) throw new InvalidHandlerResult(`bootstrapFiles has ${left.length} entries`);
  if (isUntouched(before, left, draft)) return { files: before, changes: [], removed: [] };

  const unmatched = new Set(before);
  for (const entry of left) {
    const original = draft.originals.get(entry as WorkspaceBootstrapFile);
    if (original) unmatched.delete(original);
  }
  const changes: FileChange[] = [];
  const files = left.map((entry: unknown, index) => {
    const file = readEntry(entry, index);
    const original = draft.originals.get(entry as WorkspaceBootstrapFile) ?? takeOriginal(unmatched, file);
    const adopted = adoptFile(file, original, journal.edits.get(entry as WorkspaceBootstrapFile), author);
    if (adopted.change) changes.push(adopted.change);
    return adopted.file;
  });
  const removed = [...unmatched];
  for (const file of removed)
    changes.push({ file: file.name, change: 'removed', addedText: '', removedText: file.content ?? '' });
  return { files, changes, removed: removed.filter((file) => !file.missing) };
}

function isUntouched(before: readonly ContextFile[], left: readonly unknown[], draft: HandlerDraft): boolean {
  if (left.length !== before.length) return false;
  return left.every((entry, index) => {
    const original = before[index];
    const file = entry as WorkspaceBootstrapFile;
    return (
      original !== undefined &&
      draft.originals.get(file) === original &&
      file.content === original.content &&
      file.name === original.name &&
      file.path === original.path &&
      file.missing === original.missing
    );
  });
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
  const { name, path, content, missing } = entry as Partial<Record<keyof WorkspaceBootstrapFile, unknown>>;
  if (typeof name !== 'string') throw new InvalidHandlerResult(`entry ${index} has no name`);
  if (content !== undefined && content !== null && typeof content !== 'string') {
    throw new InvalidHandlerResult(`the content of ${name} is not a string`);
  }
  return { name, path: typeof path === 'string' ? path : '', content: content ?? undefined, missing: missing === true };
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
): { file: ContextFile; change?: FileChange } {
  const { name, path, content, missing } = file;
  if (original && original.content === content && original.missing === missing) {
    const moved = original.name !== name || original.path !== path;
    return {
      file: moved
        ? { ...original, name, path, realPath: original.path === path ? original.realPath : undefined }
        : original,
    };
  }
  const before = original?.rope ?? EMPTY_ROPE;
  const exact = edits && replay(before, edits, author);
  const after = content ?? '';
  const isExact = exact !== undefined && ropeText(exact) === after;
  const rope = isExact ? exact : attribute(before, after, author);
  const adopted: ContextFile = {
    name,
    path,
    missing,
    rope,
    content,
    realPath: original?.path === path ? original.realPath : undefined,
    source: original?.source,
    absence: missing
      ? (original?.absence ?? { reason: 'missing', detail: `left as missing by ${author.id}` })
      : undefined,
  };
  return { file: adopted, change: describeChange(name, before, rope, original, isExact ? edits : undefined) };
}

function replay(before: Rope, edits: readonly Edit[], author: Author): Rope {
  let rope = before;
  for (const edit of edits) {
    const separatorText = edit.separated ? EDIT_SEPARATOR : '';
    const contribution: Contribution = {
      by: author.id,
      chars: separatorText.length + edit.parts.reduce((sum, part) => sum + part.text.length, 0),
      separator: separatorText,
      at: edit.mode === 'append' ? 'end' : edit.mode === 'prepend' ? 'start' : 'whole',
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

const EDIT_CHANGES = { append: 'appended', prepend: 'prepended', replace: 'replaced', add: 'added' } as const;

function describeChange(
  name: string,
  before: Rope,
  after: Rope,
  original: ContextFile | undefined,
  edits: readonly Edit[] | undefined,
): FileChange {
  if (!original) return { file: name, change: 'added', addedText: ropeText(after), removedText: '' };
  if (edits?.length === 1 && edits[0]) {
    const { mode, parts } = edits[0];
    const removedText = mode === 'replace' ? ropeText(before) : '';
    return { file: name, change: EDIT_CHANGES[mode], addedText: parts.map((part) => part.text).join(''), removedText };
  }
  const kept = new Set(before);
  const fresh = after.filter((span) => !kept.has(span) && span.source === undefined);
  const isRewritten = fresh.some((span) => span.origin.kind === 'handler' && span.origin.rewritten);
  return {
    file: name,
    change: isRewritten ? 'rewritten' : 'edited',
    addedText: fresh.map((span) => span.text).join(''),
    removedText: lostText(before, after),
  };
}

/** What stood before and stands no more, as far as spans of the same source can tell. */
function lostText(before: Rope, after: Rope): string {
  let lost = '';
  for (const span of before) {
    if (after.includes(span)) continue;
    let at = span.start ?? 0;
    const end = at + span.text.length;
    const survivors = after
      .filter(
        (other) =>
          other.origin === span.origin &&
          other.start !== undefined &&
          other.start < end &&
          other.start + other.text.length > at,
      )
      .sort((a, b) => (a.start ?? 0) - (b.start ?? 0));
    if (span.start === undefined) {
      lost += span.text;
      continue;
    }
    for (const survivor of survivors) {
      const start = survivor.start ?? 0;
      if (start > at) lost += span.text.slice(at - span.start, start - span.start);
      at = Math.max(at, start + survivor.text.length);
    }
    if (at < end) lost += span.text.slice(at - span.start);
  }
  return lost;
}
