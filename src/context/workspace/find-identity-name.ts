// Finds the agent's name in an IDENTITY.md in all common forms: as a labelled line, under a heading `Name`, as the
// title of the page, or in a sentence. A placeholder is found too, and marked as one.

export interface IdentityName {
  readonly name: string;
  readonly isPlaceholder: boolean;
}

export function findIdentityName(text: string): IdentityName | undefined {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => line.slice(0, MAX_LINE_CHARS));
  const found = findLabelledName(lines) ?? findTitle(lines) ?? findSentence(text);
  if (found === undefined) return undefined;
  return { name: found, isPlaceholder: PLACEHOLDER.test(found) };
}

/** No name is longer than this, and the patterns below would be slow on hostile long lines. */
const MAX_LINE_CHARS = 200;

/** `_(pick one)_`, `(none)`, `[your name]`, `<name>`, dots, dashes and the usual notes to oneself. */
const PLACEHOLDER = /^(?:[_*]*[([<{].*[)\]>}][_*]*|[.…?_*-]+|tbd|todo|n\/a|none|unknown|unnamed|your name(?: here)?)$/i;

/** Words of a title that describes the page and not the agent. */
const GENERIC_WORDS = new Set(
  'a about agent agents am an are assistant bot card descriptor description file i identity info information is it main me metadata md my name new of overview profile role self the this us what who you your'.split(
    ' ',
  ),
);

function findLabelledName(lines: readonly string[]): string | undefined {
  for (const [at, line] of lines.entries()) {
    const label =
      /^\s*(?:[-*+|]\s+)?(?:\*\*|__)?["']?(?:agent[ _-]?|display[ _-]?|full )?name["']?(?:\*\*|__)?\s*[:=|](?:\*\*|__)?(.*)$/i;
    const labelled = label.exec(line);
    const isHeading = /^ {0,3}#{1,6}\s+(?:agent |display |full )?name\s*:?\s*#*\s*$/i.test(line);
    if (!labelled && !isHeading) continue;
    const name = plain(labelled?.[1] ?? '') || valueBelow(lines[at + 1]);
    if (name) return name;
  }
  return undefined;
}

/** The line below a label is its value, unless it begins something else. */
function valueBelow(line: string | undefined): string {
  if (line === undefined || /^\s*(?:#{1,6}\s|[-*+]\s|-{3,}\s*$)/.test(line) || /^[^:]{1,40}:/.test(plain(line)))
    return '';
  return plain(line);
}

function findTitle(lines: readonly string[]): string | undefined {
  const title = plain(/^ {0,3}#\s+(.+?)(?:\s+#+)?\s*$/.exec(lines[0] ?? '')?.[1] ?? '');
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.every((word) => GENERIC_WORDS.has(word)) ? undefined : title;
}

function findSentence(text: string): string | undefined {
  return /\bname is\s+["'*_]*([\p{L}\p{N}][\p{L}\p{N}_-]*)/iu.exec(text)?.[1];
}

function plain(text: string): string {
  const trimmed = text.trim();
  // The underscores of a placeholder belong to it; other emphasis is decoration.
  return /^_\(.*\)_$/.test(trimmed) ? trimmed : trimmed.replace(/^[*_`"'\s]+|[*_`"',|\s]+$/g, '');
}
