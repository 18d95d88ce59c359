// Tables for people: aligned columns, numbers to the right, and the last column wrapped to the width that is there. Where
// the columns do not fit side by side, each row becomes lines of its own, so that a narrow terminal hides nothing.

import type { CliIo } from '../cli-io.ts';

export interface TableColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string | number;
  /** For text that is read as a number; numbers stand to the right by themselves. */
  readonly align?: 'right';
}

/** The width that output may use: a pipe has no edge to run over. */
export function outputWidth(io: Pick<CliIo, 'isTerminal' | 'columns'>): number {
  return io.isTerminal ? io.columns : Number.POSITIVE_INFINITY;
}

export function formatTable<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[], width: number): string {
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const texts = cells.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : oneLine(cell))),
  );
  const widths = columns.map((column, index) =>
    Math.max(column.title.length, ...texts.map((row) => row[index]?.length ?? 0)),
  );
  const isNumeric = (index: number) =>
    columns[index]?.align === 'right' || (cells.length > 0 && cells.every((row) => typeof row[index] === 'number'));
  const last = columns.length - 1;
  const indent = widths.slice(0, last).reduce((sum, each) => sum + each + GAP.length, 0);
  if (indent + Math.min(widths[last] ?? 0, LEAST_WRAP_WIDTH) > width) return formatRecords(texts, columns, width);
  const line = (row: readonly string[]) => {
    const aligned = row.map((text, index) => {
      if (isNumeric(index)) return text.padStart(widths[index] ?? 0);
      return index === last
        ? wrapText(text, width - indent).join(`\n${' '.repeat(indent)}`)
        : text.padEnd(widths[index] ?? 0);
    });
    return aligned.join(GAP).trimEnd();
  };
  return [columns.map((column) => column.title), ...texts].map((row) => `${line(row)}\n`).join('');
}

/** A line per cell, named by its column; cells without a text are left out. */
function formatRecords<Row>(
  rows: readonly (readonly string[])[],
  columns: readonly TableColumn<Row>[],
  width: number,
): string {
  const indent = Math.max(...columns.map(({ title }) => title.length)) + GAP.length;
  const records = rows.map((row) =>
    columns.flatMap(({ title }, index) => {
      const text = row[index] ?? '';
      if (text === '') return [];
      return `${title.padEnd(indent)}${wrapText(text, width - indent).join(`\n${' '.repeat(indent)}`)}\n`;
    }),
  );
  return records.map((lines) => lines.join('')).join('\n');
}

/** Breaks at blanks; a word that is longer than the width is broken where it must be. */
export function wrapText(text: string, width: number): string[] {
  const room = Math.max(LEAST_WRAP_WIDTH, width);
  const lines: string[] = [];
  let rest = text;
  while (rest.length > room) {
    const blank = rest.lastIndexOf(' ', room);
    const end = blank > 0 ? blank : room;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

const GAP = '  ';
/** With less room than this, words would be broken into crumbs. */
const LEAST_WRAP_WIDTH = 20;

/** Text from files and handlers is untrusted: control characters would move the cursor of whoever reads it. */
export function oneLine(text: string): string {
  return visibleLine(text).trim();
}

/** The same, with its indentation: for lines that are shown as they are. */
export function visibleLine(text: string): string {
  return text.replace(/\t/g, '  ').replace(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g, ' ');
}
