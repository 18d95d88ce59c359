// Tables for people: aligned columns, numbers to the right, and the last column wrapped to the available width. Where
// the columns do not fit side by side, each row becomes lines of its own, so that a narrow terminal hides nothing.

import type { CliIo } from '../cli-io.ts';
import { LEAST_WRAP_WIDTH, oneLine, wrapText } from './text.ts';

type Cell<Row> = (row: Row) => string | number;

/**
 * Cells by the title of their column. Numbers are aligned to the right by themselves; `right` is for text that is read
 * as a number.
 */
export type Columns<Row> = Readonly<Record<string, Cell<Row> | { readonly right: Cell<Row> }>>;

/** The width that output may use; in a pipe it is not limited. */
export function outputWidth(io: Pick<CliIo, 'isTerminal' | 'columns'>): number {
  return io.isTerminal ? io.columns : Number.POSITIVE_INFINITY;
}

/** The text of a command that lists something: a table, or a sentence when there is nothing. */
export function listText<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  none: string,
  /** Set when there are more rows than were asked for. */
  next: unknown = null,
): (width: number) => string {
  return (width) => `${rows.length === 0 ? `${none}\n` : formatTable(rows, columns, width)}${moreText(next)}`;
}

export function moreText(next: unknown): string {
  return next === null ? '' : 'There are more; ask for them with a higher --limit (500 at most).\n';
}

export function formatTable<Row>(rows: readonly Row[], columns: Columns<Row>, width: number): string {
  const titles = Object.keys(columns);
  const kinds = Object.values(columns);
  const cells = rows.map((row) => kinds.map((kind) => (typeof kind === 'function' ? kind(row) : kind.right(row))));
  const texts = cells.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : oneLine(cell))),
  );
  const widths = titles.map((title, index) => Math.max(title.length, ...texts.map((row) => row[index]?.length ?? 0)));
  const isNumeric = (index: number) =>
    typeof kinds[index] === 'object' || (cells.length > 0 && cells.every((row) => typeof row[index] === 'number'));
  const last = titles.length - 1;
  const indent = widths.slice(0, last).reduce((sum, each) => sum + each + GAP.length, 0);
  if (indent + Math.min(widths[last] ?? 0, LEAST_WRAP_WIDTH) > width) return formatRecords(texts, titles, width);
  const line = (row: readonly string[]) => {
    const aligned = row.map((text, index) => {
      if (isNumeric(index)) return text.padStart(widths[index] ?? 0);
      return index === last
        ? wrapText(text, width - indent).join(`\n${' '.repeat(indent)}`)
        : text.padEnd(widths[index] ?? 0);
    });
    return aligned.join(GAP).trimEnd();
  };
  return [titles, ...texts].map((row) => `${line(row)}\n`).join('');
}

/** One line per cell, with the name of its column; empty cells are left out. */
function formatRecords(rows: readonly (readonly string[])[], titles: readonly string[], width: number): string {
  const records = rows.map((row) =>
    formatFacts(
      titles.map((title, index) => [title, row[index] || undefined]),
      { width, names: titles },
    ),
  );
  return records.join('\n');
}

/** A fact without a value is left out. */
export type Fact = readonly [name: string, value: string | undefined];

/** One line per fact, its name first, each wrapped to the width. */
export function formatFacts(
  facts: readonly Fact[],
  {
    indent = '',
    width = Number.POSITIVE_INFINITY,
    names = facts.flatMap(([name, value]) => (value === undefined ? [] : [name])),
  }: { readonly indent?: string; readonly width?: number; readonly names?: readonly string[] } = {},
): string {
  const lead = Math.max(0, ...names.map((name) => name.length)) + GAP.length;
  return facts
    .flatMap(([name, value]) =>
      value === undefined
        ? []
        : wrapText(oneLine(value), width - lead).map(
            (text, index) => `${indent}${(index === 0 ? name : '').padEnd(lead)}${text}`,
          ),
    )
    .map((text) => `${text}\n`)
    .join('');
}

const GAP = '  ';
