// Tables for people: aligned columns, numbers to the right, the last column cut to the width that is there.

export interface TableColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string | number;
}

export function formatTable<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[], width: number): string {
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const texts = cells.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : oneLine(cell))),
  );
  const widths = columns.map((column, index) =>
    Math.max(column.title.length, ...texts.map((row) => row[index]?.length ?? 0)),
  );
  const line = (row: readonly string[], isNumber: (index: number) => boolean) =>
    row
      .map((text, index) => {
        if (index === columns.length - 1 && !isNumber(index)) return text;
        return isNumber(index) ? text.padStart(widths[index] ?? 0) : text.padEnd(widths[index] ?? 0);
      })
      .join('  ')
      .trimEnd();
  const isNumeric = (index: number) => cells.length > 0 && cells.every((row) => typeof row[index] === 'number');
  const lines = [
    line(
      columns.map((column) => column.title),
      isNumeric,
    ),
    ...texts.map((row) => line(row, isNumeric)),
  ];
  return lines.map((text) => `${clip(text, width)}\n`).join('');
}

/** Text from files and handlers is untrusted: control characters would move the cursor of whoever reads it. */
export function oneLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').trim();
}

function clip(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(1, width - 1))}…`;
}
