// What the operator pinned must be read by the model after a compaction too. Each pin is looked for in what is left; a
// fact that is missing is said again, a section that is missing is taken from its file again. Pure.

import { findKeptSections } from '../../context/budget/keep-sections.ts';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';

export interface CheckedPins {
  /** What has to be said again, one text for each pin. */
  readonly missing: readonly { readonly pin: string; readonly text: string }[];
  /** Pins that cannot be said again, with the reason. */
  readonly lost: readonly { readonly pin: string; readonly reason: string }[];
}

export function checkPins(
  pins: readonly string[],
  about: {
    /** What the model will read of ours: its system prompt, and what stands in the place of what was said. */
    readonly texts: readonly string[];
    /** The files of this session, as its handlers left them. What is withheld from it is not among them. */
    readonly files: readonly Pick<WorkspaceBootstrapFile, 'name' | 'content' | 'missing'>[];
  },
): CheckedPins {
  const read = foldText(about.texts.join('\n'));
  const missing: { pin: string; text: string }[] = [];
  const lost: { pin: string; reason: string }[] = [];
  for (const pin of new Set(pins)) {
    const found = SECTION.test(pin) ? sectionOf(pin, about.files) : { text: `- ${pin}`, words: pin };
    if ('reason' in found) lost.push({ pin, reason: found.reason });
    else if (!read.includes(foldText(found.words))) missing.push({ pin, text: found.text });
  }
  return { missing, lost };
}

/** A fact may well have a `#` in it; only a file has sections. */
const SECTION = /^[^#]*\.md\s*#/i;

type FoundPin = { readonly text: string; readonly words: string } | { readonly reason: string };

function sectionOf(
  pin: string,
  files: readonly Pick<WorkspaceBootstrapFile, 'name' | 'content' | 'missing'>[],
): FoundPin {
  const name = (pin.split('#', 1)[0] ?? '').trim();
  const file = files.find((each) => each.name.toLowerCase() === name.toLowerCase() && !each.missing);
  if (file?.content === undefined) return { reason: `this session reads no ${name}` };
  // Other sections that are kept by a comment are no part of this one.
  const content = file.content.replace(/<!--\s*keep\s*-->/gi, (comment) => ' '.repeat(comment.length));
  const { ranges } = findKeptSections(file.name, content, [pin]);
  const section = ranges.map(({ start, end }) => content.slice(start, end)).join('\n\n');
  if (section.trim() === '') return { reason: `${file.name} has no such section` };
  if (section.length > LONGEST_SECTION_CHARS)
    return { reason: `the section is too long (${section.length} characters)` };
  return { text: `From ${file.name}:\n${section}`, words: section };
}

const LONGEST_SECTION_CHARS = 20_000;

function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}
