// Answers "why is this not here?" for one request: where a text or a file stands in it, or which rule, limit or setting
// kept it out. It knows only what the report of the request says. Pure.

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

export function findAbsence(asked: string, view: RequestView, report: ContextReport | undefined): readonly Finding[] {
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
    .filter(({ file, text }) => has(file) || has(text))
    .map(
      ({ file, cause, lines, chars }): Finding => ({
        kind: 'cut',
        what: file,
        code: cause,
        detail: `Lines ${lines.join('–')} were cut, ${chars} characters.`,
      }),
    );
  const absences = (report?.absences ?? [])
    .filter(({ what, detail }) => has(what) || has(detail))
    .map(({ what, reason, detail }): Finding => ({ kind: 'absent', what, code: reason, detail }));
  const files = (report?.files ?? [])
    .filter(({ name, path, status }) => status === 'absent' && (has(name) || has(path)))
    .filter(({ name }) => !absences.some(({ what }) => what.includes(name)))
    .map(({ name, reason = 'absent', path }): Finding => ({ kind: 'absent', what: name, code: reason, detail: path }));
  return [...cuts, ...absences, ...files, ...here];
}

const MOST = 20;

/** The line in which the word stands. */
function excerpt(text: string, word: string): string {
  const at = text.toLowerCase().indexOf(word);
  if (at === -1) return '';
  const line = text.slice(text.lastIndexOf('\n', at) + 1).split('\n')[0] ?? '';
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
