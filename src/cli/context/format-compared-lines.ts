// A small difference as lines with their authors, like a unified diff: removed lines, added lines, and a few lines
// around them.

import { clip } from '../../protocol/one-line.ts';
import { oneLine, visibleLine, wrapText } from '../output/text.ts';

export interface AuthoredLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  readonly author: string;
}

const CONTEXT_LINES = 2;
/** A longer difference is better read in an editor. */
const MAX_LINES = 60;
/** A long paragraph on one line is shown up to this many lines. */
const MAX_WRAPPED = 12;
/** The part of the width that authors may take. */
const AUTHOR_SHARE = 0.4;

const SIGNS = { same: ' ', removed: '-', added: '+' } as const;

export function formatComparedLines(lines: readonly AuthoredLine[], width: number): string {
  const shown = nearChanges(lines);
  const rows = shown.slice(0, MAX_LINES);
  const authors = rows.map(({ line }) => clip(oneLine(line.author), Math.floor(width * AUTHOR_SHARE)));
  const authorWidth = Math.max(0, ...authors.map((author) => author.length));
  const output: string[] = [];
  rows.forEach(({ line, index }, row) => {
    if (row > 0 && index !== (rows[row - 1]?.index ?? 0) + 1) output.push('    ...');
    const lead = `  ${SIGNS[line.kind]} ${(authors[row] ?? '').padEnd(authorWidth)}  `;
    const [first = '', ...rest] = wrapText(visibleLine(line.text), width - lead.length);
    output.push(
      `${lead}${first}`.trimEnd(),
      ...rest.slice(0, MAX_WRAPPED).map((more) => ' '.repeat(lead.length) + more),
    );
    if (rest.length > MAX_WRAPPED) output.push(`${' '.repeat(lead.length)}...`);
  });
  if (shown.length > rows.length) output.push(`    ... and ${shown.length - rows.length} more lines`);
  return output.map((line) => `${line}\n`).join('');
}

function nearChanges(lines: readonly AuthoredLine[]): { line: AuthoredLine; index: number }[] {
  const near = new Set<number>();
  lines.forEach(({ kind }, index) => {
    if (kind === 'same') return;
    for (let at = index - CONTEXT_LINES; at <= index + CONTEXT_LINES; at++) near.add(at);
  });
  return lines.map((line, index) => ({ line, index })).filter(({ index }) => near.has(index));
}
