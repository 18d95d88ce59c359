// Reads a MANDATE.md for the three things that it must say: scope, success criteria and non-goals. The headings decide,
// in any common wording, and a heading without text below it does not count.

export type MandateTopic = 'scope' | 'success criteria' | 'non-goals';

/** The topics on which the mandate is silent. */
export function findMandateGaps(text: string): readonly MandateTopic[] {
  const said = new Set(parseSections(text).flatMap((section) => (section.hasBody ? topicsOf(section.title) : [])));
  return (['scope', 'success criteria', 'non-goals'] as const).filter((topic) => !said.has(topic));
}

interface Section {
  readonly title: string;
  readonly level: number;
  hasBody: boolean;
}

/** `Scope: …` is a section too, below any heading; its text may follow on the same line. */
const LABEL_LEVEL = 7;

function parseSections(text: string): readonly Section[] {
  const sections: Section[] = [];
  let open: Section[] = [];
  let fence: string | undefined;
  for (const line of withoutUnderlines(text).split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]?.slice(0, 3);
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const section = fence === undefined ? parseHeading(line) : undefined;
    if (section) {
      open = open.filter((outer) => outer.level < section.level);
      sections.push(section);
    }
    // A sub-heading alone does not count as text, but text below it counts for every heading around it.
    if (section ? section.hasBody : line.trim() !== '') for (const outer of open) outer.hasBody = true;
    if (section) open.push(section);
  }
  return sections;
}

/** Titles that are underlined rather than marked, in the other spelling. */
function withoutUnderlines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/^([^\s#>*+-][^:\n]*)\n=+[ \t]*$/gm, '# $1')
    .replace(/^([^\s#>*+-][^:\n]*)\n-+[ \t]*$/gm, '## $1');
}

/** No title is longer than this, and the patterns below would be slow on hostile long lines. */
const MAX_TITLE_CHARS = 200;

function parseHeading(fullLine: string): Section | undefined {
  const line = fullLine.slice(0, MAX_TITLE_CHARS);
  const heading = /^ {0,3}(#{1,6})\s+(.+?)(?:\s+#+)?\s*$/.exec(line);
  if (heading?.[1] && heading[2]) return { title: heading[2], level: heading[1].length, hasBody: false };
  const label = /^\s*(?:[-*+]\s+)?(?:\*\*|__)?([^*_:]{3,40})(?::(?:\*\*|__)?|(?:\*\*|__):?)(.*)$/.exec(line);
  if (label?.[1] === undefined || topicsOf(label[1]).length === 0) return undefined;
  return { title: label[1], level: LABEL_LEVEL, hasBody: (label[2] ?? '').trim() !== '' };
}

function topicsOf(title: string): readonly MandateTopic[] {
  const words = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
  const outside =
    /\b(?:(?:out of|not in|outside(?: of)?|beyond)(?: the)? scope|(?:non|anti) ?goals?|boundar(?:y|ies)|exclusions?)\b/g;
  const rest = words.replace(outside, ' ');
  return [
    ...(/\b(?:scope|responsibilit(?:y|ies)|remit)\b/.test(rest) ? (['scope'] as const) : []),
    ...(/\b(?:success|acceptance criteria|definition of done|done when)\b/.test(rest)
      ? (['success criteria'] as const)
      : []),
    ...(rest === words ? [] : (['non-goals'] as const)),
  ];
}
