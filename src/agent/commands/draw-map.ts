// Draws the prompt to scale: one bar per layer in the order in which the model reads them, and the line above which
// everything is the same from run to run.

import { chatLine } from '../../commands/chat-text.ts';
import type { ContextReport } from '../../context/report/build-report.ts';

const BAR_WIDTH = 30;
const LABEL_WIDTH = 24;
const MOST_ROWS = 40;

/** The map is a code block, so that a chat keeps the columns. */
export function drawMap(report: ContextReport): readonly string[] {
  const { prompt } = report;
  const parts = partsOf(report);
  const rows = parts.slice(0, MOST_ROWS).map((part) => drawRow(part, prompt.chars));
  const before = parts.filter(({ start }) => start < prompt.stable.chars).length;
  const boundary = `--- cache boundary, at character ${prompt.stable.chars.toLocaleString('en-US')} ---`;
  const rest = parts.length - rows.length;
  const lines = rest > 0 ? [...rows, `and ${rest} more`] : rows;
  return ['', '```', ...lines.slice(0, before), boundary, ...lines.slice(before), '```'];
}

interface Part {
  readonly label: string;
  readonly start: number;
  readonly chars: number;
  /** The part is a heading, or the line breaks between two layers, and belongs to one of these layers. */
  readonly isHeading: boolean;
}

function drawRow({ label, chars }: Part, total: number): string {
  const share = total === 0 ? 0 : chars / total;
  // The smallest part still gets a bar of one character.
  const bar = '#'.repeat(Math.max(chars > 0 ? 1 : 0, Math.round(share * BAR_WIDTH)));
  const size = chars.toLocaleString('en-US').padStart(7);
  const percent = `${Math.round(share * 100)} %`.padStart(5);
  return `${chatLine(label, LABEL_WIDTH).padEnd(LABEL_WIDTH)} ${bar.padEnd(BAR_WIDTH, '.')} ${size} ${percent}`;
}

/** The layers, each with the heading above it, and Atrium's own text between them; together they are the prompt. */
function partsOf({ layers, spans, prompt }: ContextReport): readonly Part[] {
  const boundary = prompt.stable.chars;
  const parts: Part[] = [];
  let at = 0;
  for (const { title, start, end } of layers) {
    const own = ownParts(spans, at, start, boundary);
    const from = (own.at(-1)?.isHeading ? own.pop()?.start : undefined) ?? start;
    parts.push(...own, { label: title, start: from, chars: end - from, isHeading: false });
    at = end;
  }
  return joinHeadings([...parts, ...ownParts(spans, at, prompt.chars, boundary)]);
}

function ownParts(spans: ContextReport['spans'], from: number, to: number, boundary: number): Part[] {
  const parts: Part[] = [];
  for (const { start: spanStart, end: spanEnd, origin } of spans) {
    const [start, end] = [Math.max(from, spanStart), Math.min(to, spanEnd)];
    if (start >= end) continue;
    const last = parts.at(-1);
    // Names and descriptions in a catalogue come from files, but they count as part of the catalogue.
    const label = origin.kind === 'product' ? labelOf(origin.part) : (last?.label ?? labelOf('other'));
    const chars = end - start;
    if (last?.label === label && start !== boundary) parts.splice(-1, 1, { ...last, chars: last.chars + chars });
    else parts.push({ label, start, chars, isHeading: origin.kind === 'product' && origin.part === 'heading' });
  }
  return parts;
}

function labelOf(part: string): string {
  return `Atrium: ${part.replaceAll('-', ' ')}`;
}

/** Line breaks after the last of several layers do not become a part of their own. */
function joinHeadings(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.isHeading && last) joined.splice(-1, 1, { ...last, chars: last.chars + part.chars });
    else joined.push(part);
  }
  return joined;
}
