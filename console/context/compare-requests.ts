// In what two requests differ, unit by unit and line by line, with the author of every line that was added or removed.
// Units that are the same are not looked into, so a long request with a small change is compared quickly. It is pure.

import { diffLines } from 'diff';
import type { ToldSpan } from '../client/gateway-client.ts';
import { type Author, authorOf } from './author.ts';

export interface DiffUnit {
  readonly title: string;
  readonly rows: readonly DiffRow[];
}

export interface DiffRow {
  readonly kind: 'same' | 'added' | 'removed' | 'left-out';
  readonly text: string;
  /** Undefined for lines that both have. */
  readonly author?: Author | undefined;
  /** How many lines of both are left out here. */
  readonly count?: number | undefined;
}

export function compareRequests(before: readonly ToldSpan[], after: readonly ToldSpan[]): readonly DiffUnit[] {
  const [old, now] = [unitsOf(before), unitsOf(after)];
  const names = [...now.keys(), ...[...old.keys()].filter((name) => !now.has(name))];
  return names.flatMap((title): DiffUnit[] => {
    const [was, is] = [old.get(title) ?? EMPTY, now.get(title) ?? EMPTY];
    return was.text === is.text ? [] : [{ title, rows: rowsOf(was, is) }];
  });
}

/** How many lines were added and removed, by author, the largest change first. */
export function changesByAuthor(units: readonly DiffUnit[]): readonly AuthorChange[] {
  const changes = new Map<string, { author: Author; added: number; removed: number }>();
  for (const { kind, author } of units.flatMap(({ rows }) => rows)) {
    if (!author || (kind !== 'added' && kind !== 'removed')) continue;
    const key = `${author.kind} ${author.name}`;
    const known = changes.get(key) ?? { author, added: 0, removed: 0 };
    known[kind] += 1;
    changes.set(key, known);
  }
  return [...changes.values()].toSorted((one, other) => other.added + other.removed - one.added - one.removed);
}

export interface AuthorChange {
  readonly author: Author;
  readonly added: number;
  readonly removed: number;
}

interface UnitText {
  readonly text: string;
  readonly spans: readonly ToldSpan[];
}

const EMPTY: UnitText = { text: '', spans: [] };

/** Tools are found by their name, because their order may be another one; blocks and messages by their place. */
function unitsOf(spans: readonly ToldSpan[]): ReadonlyMap<string, UnitText> {
  const units = new Map<string, ToldSpan[]>();
  for (const span of spans) {
    const name = nameOf(span);
    const known = units.get(name);
    if (known) known.push(span);
    else units.set(name, [span]);
  }
  return new Map(
    [...units].map(([name, members]) => [
      name,
      { text: members.map(({ text = '' }) => text).join(''), spans: members },
    ]),
  );
}

function nameOf(span: ToldSpan): string {
  if (span.where === 'tools') return `Tool: ${authorOf(span).name}`;
  return `${span.where === 'system' ? 'System block' : 'Message'} ${span.index + 1}`;
}

function rowsOf(was: UnitText, is: UnitText): readonly DiffRow[] {
  // Two texts that have nothing in common would take for ever.
  const changes = diffLines(was.text, is.text, { timeout: 1_000, maxEditLength: 5_000 }) ?? [
    { value: was.text, removed: true, added: false },
    { value: is.text, removed: false, added: true },
  ];
  let [old, now] = [0, 0];
  return changes.flatMap(({ value, added, removed }): DiffRow[] => {
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    const [unit, start] = kind === 'removed' ? [was, old] : [is, now];
    if (kind !== 'added') old += value.length;
    if (kind !== 'removed') now += value.length;
    return kind === 'same' ? folded(value) : linesOf(value, kind, unit, start);
  });
}

function linesOf(value: string, kind: 'added' | 'removed', unit: UnitText, start: number): DiffRow[] {
  let at = start;
  return splitLines(value).map((line) => {
    // A heading or an indent may be Atrium's; the words of a line are somebody's.
    const author = authorAt(unit.spans, at + Math.max(0, line.search(/\S/)));
    at += line.length;
    return { kind, text: line.replace(/\n$/, ''), author };
  });
}

function authorAt(spans: readonly ToldSpan[], char: number): Author | undefined {
  let end = 0;
  for (const span of spans) {
    end += span.text?.length ?? 0;
    if (char < end) return authorOf(span);
  }
  const last = spans.at(-1);
  return last && authorOf(last);
}

/** Of lines that both have, only a few around a change are shown. */
function folded(value: string): DiffRow[] {
  const lines = splitLines(value).map((line): DiffRow => ({ kind: 'same', text: line.replace(/\n$/, '') }));
  if (lines.length <= 2 * AROUND + 1) return lines;
  const count = lines.length - 2 * AROUND;
  return [...lines.slice(0, AROUND), { kind: 'left-out', text: '', count }, ...lines.slice(-AROUND)];
}

const AROUND = 3;

function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
