// The lines of a `.env` file that set a variable, and the numbers of those that do not. The parser of Node takes a line without
// a `=` for the beginning of the next name and stops at one without a name, so it is given only lines that are well-formed.

export interface EnvLines {
  /** What the parser may read. */
  readonly text: string;
  /** The lines that set nothing, counted from 1. Their content may be a secret and is not kept. */
  readonly malformed: readonly number[];
}

export function readEnvLines(text: string): EnvLines {
  const lines = text.split('\n');
  const kept: string[] = [];
  const malformed: number[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, value] = ASSIGNMENT.exec(line) ?? [];
    if (value !== undefined) {
      const end = endOfValue(lines, at, value);
      kept.push(...lines.slice(at, end + 1));
      at = end;
    } else if (!/^\s*(?:#|$)/.test(line)) malformed.push(at + 1);
  }
  return { text: kept.join('\n'), malformed };
}

const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_]*\s*=\s*([\s\S]*)$/;

/** A value in quotes may go on over lines. One whose quote is never closed ends with its line. */
function endOfValue(lines: readonly string[], at: number, value: string): number {
  const [quote = ''] = value;
  if (!['"', "'", '`'].includes(quote) || value.includes(quote, 1)) return at;
  const further = lines.slice(at + 1).findIndex((line) => line.includes(quote));
  return further === -1 ? at : at + 1 + further;
}
