// Records what a handler does to its draft, so that the composer knows exact authors and need not compare texts. The
// journal belongs to the identity of the context object: handlers see a plain context, and a context without a journal
// can be edited in the same way, only without a record.

import type { AgentBootstrapHookContext } from '../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../protocol/bootstrap-file.ts';
import type { SourceText } from './provenance/rope.ts';
import { CachedFileSource, type FileSource } from './sources/file-source.ts';
import { canonicalFileName, OPENCLAW_TAXONOMY, type Taxonomy } from './taxonomy.ts';

/** Stands between a file and the text that is prepended or appended to it. */
export const EDIT_SEPARATOR = '\n\n---\n\n';

export type EditMode = 'prepend' | 'append' | 'replace' | 'add';

/** A piece of contributed text, with its file when it comes from one. */
export interface EditPart {
  readonly text: string;
  readonly from?: { readonly path: string; readonly source: SourceText; readonly start: number };
}

export interface Edit {
  readonly mode: EditMode;
  readonly parts: readonly EditPart[];
  /** False when the file had no content yet, so that no separator was written. */
  readonly separated: boolean;
  /** Where the text was to stand, for an addition to a file that is missing. */
  readonly addsTo?: 'end' | 'start' | undefined;
}

/** A handler's note about text that it deliberately did not contribute. */
export interface EditNote {
  readonly reason:
    | 'rule-condition-false'
    | 'disabled'
    | 'filtered-session'
    | 'empty'
    | 'unreadable'
    | 'missing'
    | 'outside-workspace'
    | 'too-large'
    | 'over-budget';
  readonly what: string;
  readonly detail: string;
  /** True when something that is no file stands in the place of the file that was looked for. */
  readonly isThere?: true | undefined;
  /** The text that would have been contributed, where it is known. */
  readonly text?: string | undefined;
}

export interface EditJournal {
  readonly taxonomy: Taxonomy;
  /** The composition's view of the files, for handlers that bring text from disk. */
  readonly files: FileSource;
  /** Why this run has no use for first-run guidance; undefined when it has. */
  readonly noFirstRun?: Pick<EditNote, 'reason' | 'detail'> | undefined;
  readonly edits: Map<WorkspaceBootstrapFile, Edit[]>;
  readonly notes: EditNote[];
}

const journals = new WeakMap<AgentBootstrapHookContext, EditJournal>();

export function openEditJournal(
  context: AgentBootstrapHookContext,
  taxonomy: Taxonomy,
  files: FileSource,
  noFirstRun?: EditJournal['noFirstRun'],
): EditJournal {
  const journal: EditJournal = { taxonomy, files, noFirstRun, edits: new Map(), notes: [] };
  journals.set(context, journal);
  return journal;
}

/** The journal of a draft that a composition opened; undefined for any other context. */
export function journalIn(context: AgentBootstrapHookContext): EditJournal | undefined {
  return journals.get(context);
}

export function noteAbsence(context: AgentBootstrapHookContext, note: EditNote): void {
  journals.get(context)?.notes.push(note);
}

export function taxonomyIn(context: AgentBootstrapHookContext): Taxonomy {
  return journals.get(context)?.taxonomy ?? OPENCLAW_TAXONOMY;
}

/**
 * Why this run has no use for a file of this name, for handlers that bring the files of all agents or of one: they obey
 * the rules of the workspace's own file.
 */
export function objectionIn(
  context: AgentBootstrapHookContext,
  name: string,
): Pick<EditNote, 'reason' | 'detail'> | undefined {
  const known = fileNameIn(context, name);
  const isFirstRun = taxonomyIn(context).files.some((file) => file.name === known && file.firstRun);
  return isFirstRun ? journals.get(context)?.noFirstRun : undefined;
}

/** Returns the files as this composition sees them; outside of a composition, as they are on disk. */
export function filesIn(context: AgentBootstrapHookContext): FileSource {
  return journals.get(context)?.files ?? new CachedFileSource();
}

/** The name under which this context's workspace knows the file that a handler calls `name`. */
export function fileNameIn(context: AgentBootstrapHookContext, name: string): string {
  return canonicalFileName(taxonomyIn(context), name);
}

export function editBootstrapFile(
  context: AgentBootstrapHookContext,
  mode: EditMode,
  name: string,
  parts: readonly EditPart[],
  source?: string,
): void {
  const known = fileNameIn(context, name);
  const file = mode === 'add' ? undefined : findFile(context, known, mode === 'replace');
  if (!file) {
    const added = { name: known, path: source ?? `<dynamic:${known}>`, content: joinParts(parts), missing: false };
    context.bootstrapFiles.push(added);
    const isMissing = context.bootstrapFiles.some(({ name: other, missing }) => other === known && missing);
    const addsTo = !isMissing ? undefined : mode === 'append' ? 'end' : mode === 'prepend' ? 'start' : undefined;
    record(context, added, { mode: 'add', parts, separated: false, addsTo });
    return;
  }
  const text = joinParts(parts);
  if (mode === 'replace') {
    file.content = text;
    file.missing = false;
  } else {
    const content = file.content ?? '';
    file.content = mode === 'prepend' ? text + EDIT_SEPARATOR + content : content + EDIT_SEPARATOR + text;
  }
  record(context, file, { mode, parts, separated: mode !== 'replace' });
}

function findFile(
  context: AgentBootstrapHookContext,
  name: string,
  missingToo: boolean,
): WorkspaceBootstrapFile | undefined {
  return context.bootstrapFiles.find((file) => file.name === name && (missingToo || !file.missing));
}

function record(context: AgentBootstrapHookContext, file: WorkspaceBootstrapFile, edit: Edit): void {
  const journal = journals.get(context);
  if (!journal) return;
  const edits = journal.edits.get(file);
  if (edits) edits.push(edit);
  else journal.edits.set(file, [edit]);
}

function joinParts(parts: readonly EditPart[]): string {
  return parts.length === 1 ? (parts[0]?.text ?? '') : parts.map((part) => part.text).join('');
}
