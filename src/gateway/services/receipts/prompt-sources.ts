// What the prompt of a run was made from, and what was left out of it, as far as it explains why a text was not there. It
// has no text of files, times or sizes, so runs in the same situation have the same sources.

import type { RequestFrame } from '../../../agent/request-frame.ts';
import type { AbsenceReason } from '../../../context/composition.ts';
import type { CompositionRecord, RecordedChange } from '../../../context/replay/composition-record.ts';
import { hashOfText } from '../../../context/report/build-report.ts';
import { cutText } from '../../../context/report/find-absent-text.ts';

export interface PromptSources {
  readonly files: readonly SourceFile[];
  readonly cuts: readonly SourceCut[];
  readonly absences: readonly SourceAbsence[];
  readonly handlers: readonly SourceHandler[];
}

export interface SourceFile {
  readonly name: string;
  readonly path: string;
  /** The hash of what was read; absent when nothing was. */
  readonly hash?: string;
}

export interface SourceCut {
  readonly path: string;
  readonly lines: readonly [number, number];
  readonly detail: string;
}

export interface SourceAbsence {
  readonly what: string;
  readonly path?: string;
  readonly reason: AbsenceReason;
  readonly by?: string;
  readonly detail: string;
}

export interface SourceHandler {
  readonly id: string;
  readonly outcome: string;
  /** The files from which it took something out. */
  readonly removedFrom: readonly string[];
}

/** The texts are those of the files that have a hash, each once. */
export function sourcesOf(frame: RequestFrame): { readonly sources: PromptSources; readonly texts: readonly string[] } {
  const { report, inputs, texts = [] } = frame;
  const read = inputs ? filesOf(inputs.composition, texts) : [];
  const known = new Set(read.map(({ path }) => path));
  const reported = report.files
    .filter(({ path }) => !known.has(path))
    .map(({ name, path, textHash }): SourceFile => ({ name, path, ...(textHash ? { hash: textHash } : {}) }));
  return {
    texts: [...new Set(read.flatMap(({ text }) => (text === undefined ? [] : [text])))],
    sources: {
      files: [
        ...read.map(
          ({ name, path, text }): SourceFile => ({
            name,
            path,
            ...(text === undefined ? {} : { hash: hashOfText(text) }),
          }),
        ),
        ...reported,
      ],
      cuts: report.cuts.map((cut) => {
        const { path = cut.path, detail } = cutText(cut, report);
        return { path, lines: cut.lines, detail };
      }),
      absences: report.absences.map(({ what, path, reason, by, detail }) => ({
        what,
        ...(path === undefined ? {} : { path }),
        reason,
        ...(by === undefined ? {} : { by }),
        // The message of an error may quote what somebody said.
        detail: reason === 'handler-failed' ? `${by ?? what} failed` : detail,
      })),
      handlers: report.handlers.map(({ id, outcome, changes }) => ({
        id: id.replace(/^rule:/, ''),
        outcome,
        removedFrom: [...new Set(changes.filter(({ change }) => REMOVING.has(change)).map(({ file }) => file))],
      })),
    },
  };
}

const REMOVING: ReadonlySet<string> = new Set(['removed', 'renamed', 'replaced', 'rewritten', 'edited']);

interface ReadFile {
  readonly name: string;
  readonly path: string;
  readonly text?: string | undefined;
}

/** The files of the workspace, and those from which handlers brought text. */
function filesOf({ files, handlers }: CompositionRecord, texts: readonly string[]): readonly ReadFile[] {
  const found = new Map<string, ReadFile>();
  for (const { name, path, text } of files)
    found.set(path, { name, path, text: text === undefined ? undefined : texts[text] });
  const changes = handlers
    .flatMap(({ left = [] }) => left)
    .filter((change): change is RecordedChange => typeof change !== 'number');
  for (const { name, edits = [] } of changes) {
    for (const { from } of edits.flatMap(({ parts }) => parts)) {
      if (from && !found.has(from.path)) found.set(from.path, { name, path: from.path, text: texts[from.source] });
    }
  }
  return [...found.values()];
}
