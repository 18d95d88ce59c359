// Finds the sections of a Markdown file that must survive trimming: those behind a `<!-- keep -->` comment and those that
// the operator names, such as `AGENTS.md#Safety`. A section runs from its heading to the next heading of the same or a
// higher level. Code fences and comments hold no headings. Depends on its arguments only, so callers may remember the
// answer, and takes time in proportion to the text, for any text.

import type { TextRange } from './trim-piece.ts';

export interface KeptSections {
  /** In order, without overlap; trailing blank lines are left to the trimming. */
  readonly ranges: readonly TextRange[];
  /** Selectors that name this file but none of its headings. */
  readonly unmatchedSelectors: readonly string[];
  /** One-based lines of `<!-- keep -->` comments that no heading follows. */
  readonly strayKeepLines: readonly number[];
}

export function findKeptSections(name: string, text: string, selectors: readonly string[] = []): KeptSections {
  const wanted = selectors.filter((selector) => namesFile(selector, name));
  if (wanted.length === 0 && !KEEP_COMMENT_ANYWHERE.test(text)) return NOTHING_KEPT;

  const { headings, strayKeepLines } = scanHeadings(text);
  const sections = closeSections(headings, text.length);
  const wantedTitles = new Set(wanted.map(wantedTitle));
  const titles = new Set(headings.map((heading) => heading.title));
  const kept = sections.filter(({ heading }) => heading.keep || wantedTitles.has(heading.title));
  return {
    ranges: mergeRanges(kept.map(({ heading, end }) => trimRange(text, heading.start, end))),
    unmatchedSelectors: wanted.filter((selector) => !titles.has(wantedTitle(selector) ?? '')),
    strayKeepLines,
  };
}

const NOTHING_KEPT: KeptSections = { ranges: [], unmatchedSelectors: [], strayKeepLines: [] };

const KEEP_COMMENT_ANYWHERE = /<!--\s*keep\s*-->/i;
const KEEP_COMMENT = /^ {0,3}<!--\s*keep\s*-->$/i;
const COMMENT = /^ {0,3}<!--/;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const HASHES = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^ {0,3}(?:=+|-+)$/;
/** What can stand over an underline: no list item, quote, table row, comment or indented code. */
const PARAGRAPH = /^ {0,3}(?![-*+>|]|\d+[.)] |<!--)\S/;

function namesFile(selector: string, name: string): boolean {
  return (selector.split('#', 1)[0] ?? '').trim().toLowerCase() === name.toLowerCase();
}

/** Returns undefined for a selector without a heading, which matches nothing. */
function wantedTitle(selector: string): string | undefined {
  const at = selector.indexOf('#');
  return at === -1 ? undefined : foldTitle(selector.slice(at).replace(/^#+/, ''));
}

function foldTitle(title: string): string {
  return title.trim().replace(/\s+/g, ' ').toLowerCase();
}

interface Line {
  readonly number: number;
  readonly start: number;
  /** Without trailing blanks; undefined inside code fences and comments. */
  readonly text: string | undefined;
}

interface Heading {
  readonly level: number;
  /** Folded for comparison. */
  readonly title: string;
  readonly start: number;
  readonly keep: boolean;
}

function scanHeadings(text: string): { headings: readonly Heading[]; strayKeepLines: readonly number[] } {
  const lines = readLines(text);
  const headings: Heading[] = [];
  const strayKeepLines: number[] = [];
  let keepLine: number | undefined;
  let insideParagraph = false;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (!line) break;
    const under = insideParagraph ? undefined : lines[i + 1]?.text;
    const found = line.text === undefined ? undefined : (hashHeading(line.text) ?? underlinedHeading(line.text, under));
    insideParagraph = false;
    if (found) {
      headings.push({
        level: found.level,
        title: foldTitle(found.title),
        start: line.start,
        keep: keepLine !== undefined,
      });
      keepLine = undefined;
      if (found.underlined) i++;
    } else if (line.text !== '') {
      if (keepLine !== undefined) strayKeepLines.push(keepLine);
      const isKeepComment = line.text !== undefined && KEEP_COMMENT.test(line.text);
      keepLine = isKeepComment ? line.number : undefined;
      insideParagraph = line.text !== undefined && !isKeepComment;
    }
  }
  if (keepLine !== undefined) strayKeepLines.push(keepLine);
  return { headings, strayKeepLines };
}

function readLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  const bodyStart = frontMatterEnd(text);
  let fence: string | undefined;
  let insideComment = false;
  let number = 0;
  for (let start = 0, next = 0; start < text.length; start = next) {
    const lineBreak = text.indexOf('\n', start);
    next = lineBreak === -1 ? text.length : lineBreak + 1;
    number++;
    if (start < bodyStart) continue;
    const line = text.slice(start, next).trimEnd();
    let visible = false;
    if (fence !== undefined) {
      if (closesFence(line, fence)) fence = undefined;
    } else if (insideComment) {
      insideComment = !line.includes('-->');
    } else {
      fence = FENCE.exec(line)?.[1];
      insideComment = COMMENT.test(line) && !line.includes('-->');
      visible = fence === undefined && !insideComment;
    }
    lines.push({ number, start, text: visible ? line : undefined });
  }
  return lines;
}

function closesFence(line: string, fence: string): boolean {
  const closing = line.trim();
  return closing.length >= fence.length && closing === fence.charAt(0).repeat(closing.length);
}

/** Front matter ends with a line of dashes, which would otherwise count as the underline of its last entry. */
function frontMatterEnd(text: string): number {
  if (!/^---[ \t]*\r?\n/.test(text)) return 0;
  const closing = /\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return closing ? closing.index + closing[0].length : 0;
}

interface FoundHeading {
  readonly level: number;
  readonly title: string;
  readonly underlined: boolean;
}

function hashHeading(line: string): FoundHeading | undefined {
  const hashes = HASHES.exec(line);
  if (!hashes) return undefined;
  const title = line.slice(hashes[0].length).trim();
  let end = title.length;
  while (title.charAt(end - 1) === '#') end--;
  const closed = end === 0 || title.charAt(end - 1) === ' ' || title.charAt(end - 1) === '\t';
  return { level: hashes[1]?.length ?? 1, title: closed ? title.slice(0, end) : title, underlined: false };
}

function underlinedHeading(line: string, under: string | undefined): FoundHeading | undefined {
  if (under === undefined || !UNDERLINE.test(under) || !PARAGRAPH.test(line)) return undefined;
  return { level: under.includes('=') ? 1 : 2, title: line, underlined: true };
}

/** Walks backwards with the nearest later heading of each level at hand. */
function closeSections(headings: readonly Heading[], textEnd: number): readonly { heading: Heading; end: number }[] {
  const nextStart = new Array<number>(7).fill(textEnd);
  return headings
    .toReversed()
    .map((heading) => {
      const end = Math.min(...nextStart.slice(1, heading.level + 1));
      nextStart[heading.level] = heading.start;
      return { heading, end };
    })
    .reverse();
}

function trimRange(text: string, start: number, end: number): TextRange {
  return { start, end: start + text.slice(start, end).trimEnd().length };
}

function mergeRanges(ranges: readonly TextRange[]): readonly TextRange[] {
  const merged: TextRange[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last && range.start <= last.end) {
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    } else {
      merged.push(range);
    }
  }
  return merged;
}
