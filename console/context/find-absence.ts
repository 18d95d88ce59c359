// Answers "why is this not here?" for one request: where a text or a file stands in it, or which rule, limit or setting
// kept it out. The report of a run keeps no text that was left out, so a text is also looked for in the bootstrap files as
// they are now. It is pure.

import type { ContextReport } from '../client/gateway-client.ts';
import type { RequestView } from './request-view.ts';

export interface Finding {
  /** `here`: it is in the request. `cut`, `absent`: it is not, and why. */
  readonly kind: 'here' | 'cut' | 'absent';
  readonly what: string;
  /** The reason code, or where it stands. */
  readonly code: string;
  readonly detail: string;
  /** The piece to show. */
  readonly piece?: number | undefined;
}

/** The texts of bootstrap files as they are now, by name. */
export type FileTexts = ReadonlyMap<string, string>;

export function findAbsence(
  asked: string,
  view: RequestView,
  report: ContextReport | undefined,
  files: FileTexts = new Map(),
): readonly Finding[] {
  const word = asked.trim().toLowerCase();
  if (word === '') return [];
  const has = (text: string | undefined) => text?.toLowerCase().includes(word) ?? false;
  const here = view.pieces
    .filter(({ span, author }) => has(span.text) || has(author.name))
    .slice(0, MOST)
    .map(
      ({ span, author, index }): Finding => ({
        kind: 'here',
        what: author.name,
        code: span.where,
        detail: excerpt(span.text ?? '', word),
        piece: index,
      }),
    );
  const cuts = (report?.cuts ?? [])
    .filter(({ file, text, lines: [first, last] }) => {
      if (has(file) || has(text)) return true;
      const line = lineOf(files.get(file), word);
      return line !== undefined && line >= first && line <= last;
    })
    .map(
      ({ file, cause, lines, chars }): Finding => ({
        kind: 'cut',
        what: file,
        code: cause,
        detail: `Lines ${lines.join('–')} were cut, ${chars} characters.`,
      }),
    );
  const absences = (report?.absences ?? [])
    .filter(({ what, detail, text }) => has(what) || has(detail) || has(text) || has(textOfAbsent(what, files)))
    .map(({ what, reason, detail, text }): Finding => {
      const words = excerpt(text ?? textOfAbsent(what, files) ?? '', word);
      return { kind: 'absent', what, code: reason, detail: words === '' ? detail : `“${words}” · ${detail}` };
    });
  const left = (report?.files ?? [])
    .filter(({ name, path, status }) => status === 'absent' && (has(name) || has(path) || has(files.get(name))))
    .filter(({ name }) => !absences.some(({ what }) => what.includes(name)))
    .map(({ name, reason = 'absent', path }): Finding => ({ kind: 'absent', what: name, code: reason, detail: path }));
  return [...cuts, ...absences, ...left, ...here];
}

const MOST = 20;

/** An absence names a file by its name or by its path. */
function textOfAbsent(what: string, files: FileTexts): string | undefined {
  return files.get(what) ?? files.get(what.split('/').at(-1) ?? '');
}

/** Counted from 1. */
function lineOf(text: string | undefined, word: string): number | undefined {
  const at = text?.toLowerCase().indexOf(word) ?? -1;
  return at === -1 ? undefined : text?.slice(0, at).split('\n').length;
}

/** The line in which the word stands. */
function excerpt(text: string, word: string): string {
  const at = text.toLowerCase().indexOf(word);
  if (at === -1) return '';
  const line = text.slice(text.lastIndexOf('\n', at) + 1).split('\n')[0] ?? '';
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
