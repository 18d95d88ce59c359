// Looks for text among everything that a composition left out, and says for each match why it was left out. Text that a
// composition never had, such as the text of a handler that failed, cannot be found here.

import type { Composition } from '../compose.ts';
import type { Absence, AbsenceReason, Cut, FileChange } from '../composition.ts';
import type { ContextReport } from './build-report.ts';
import type { TextFinder } from './find-text.ts';
import { countNewlines } from './prompt-place.ts';

/** Why some text is not in the prompt. */
export interface AbsentText {
  readonly reason: AbsenceReason;
  readonly what: string;
  readonly path?: string | undefined;
  /** Lines of what it stands in, as far as they are known. */
  readonly lines?: readonly [number, number] | undefined;
  /** The handler or rule that is responsible, if one is. */
  readonly by?: string | undefined;
  readonly detail: string;
}

export function findAbsentText(composition: Composition, find: TextFinder): readonly AbsentText[] {
  const { report } = composition;
  const found: AbsentText[] = [
    ...report.cuts.flatMap((cut) =>
      findIn(cut.text, find, cut.lines[0]).map(([first, last]) => {
        // A cut may begin with text that stands in no file and has no line numbers.
        const lines = [Math.min(first, cut.lines[1]), Math.min(last, cut.lines[1])] as const;
        return cutText(cut, report, lines);
      }),
    ),
    ...report.absences.flatMap((absence) =>
      findIn(absence.text ?? '', find, 1).map((lines) => ({
        ...absentText(absence),
        // Text that stands in no file has no line numbers that a reader could use.
        ...(absence.path === undefined ? {} : { lines }),
      })),
    ),
    ...report.handlers.flatMap(({ id, changes }) =>
      changes
        // Whole files that a handler removed are already among the absences, and the old name of a file is not text.
        .filter(({ change, removedText }) => !WHOLE_FILES.includes(change) && find(removedText).length > 0)
        .map(({ file, change }) => ({
          reason: 'removed-by-handler' as const,
          what: file,
          by: id,
          detail: change === 'replaced' ? `${id} replaced the text of ${file}` : `${id} took it out of ${file}`,
        })),
    ),
  ];
  return distinct(found);
}

/** When a cut went through a text, the text is whole only in the files before the budget. */
export function findTornText({ files, report }: Composition, find: TextFinder): readonly AbsentText[] {
  return files.flatMap(({ path, content = '' }) => {
    const cuts = report.cuts.filter((cut) => cut.path === path);
    if (cuts.length === 0) return [];
    const torn = find(content).map(({ start, end }) => content.slice(start, end));
    const through = cuts.filter((cut) => torn.some((text) => overlaps(text, cut.text)));
    return through.map((cut) => cutText(cut, report));
  });
}

/** Longer questions are not searched across a cut. */
const MAX_OVERLAP = 10_000;

/** True when one text continues or contains the other. */
function overlaps(a: string, b: string): boolean {
  if (a.includes(b) || b.includes(a)) return true;
  for (let length = Math.min(a.length, b.length, MAX_OVERLAP) - 1; length > 0; length--) {
    if (a.endsWith(b.slice(0, length)) || b.endsWith(a.slice(0, length))) return true;
  }
  return false;
}

const WHOLE_FILES: readonly FileChange['change'][] = ['removed', 'renamed'];

export function absentText({ what, path, reason, detail, by }: Absence): AbsentText {
  return {
    reason,
    what,
    detail,
    ...(path === undefined ? {} : { path }),
    ...(by === undefined ? {} : { by }),
  };
}

export function cutText(cut: Cut, { budget }: ContextReport, lines = cut.lines): AbsentText {
  const limits = {
    'per-file-limit': `a file may bring ${budget.maxChars} characters (bootstrapMaxChars)`,
    'total-limit': `all files together may bring ${budget.totalMaxChars} characters (bootstrapTotalMaxChars)`,
    'token-limit': `all files together may bring ${budget.maxTokens} tokens (bootstrapMaxTokens)`,
  };
  return {
    reason: 'over-budget',
    what: cut.file,
    path: cut.source ?? cut.path,
    lines,
    detail: `cut by the ${cut.cause}: ${limits[cut.cause]}`,
  };
}

/** The line ranges of every find, counting from the line on which the text begins. */
function findIn(text: string, find: TextFinder, firstLine: number): (readonly [number, number])[] {
  if (text === '') return [];
  return find(text).map(({ start, end }) => {
    const line = firstLine + countNewlines(text, 0, start);
    return [line, line + countNewlines(text, start, end - 1)] as const;
  });
}

/** A file that was dropped whole is a cut and an absence; the cut gives more information. */
function distinct(found: readonly AbsentText[]): readonly AbsentText[] {
  const seen = new Map<string, AbsentText>();
  for (const absent of found) {
    const key = `${absent.reason}\n${absent.path ?? absent.what}\n${absent.lines?.[0] ?? ''}\n${absent.by ?? ''}`;
    if (!seen.has(key)) seen.set(key, absent);
  }
  return [...seen.values()];
}
