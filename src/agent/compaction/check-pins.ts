// Makes sure that the model still reads what the operator pinned after a compaction. Each pin is searched in what is
// left; a missing fact is added again, and a missing section is read from its file again. The functions are pure.

import { findKeptSections } from '../../context/budget/keep-sections.ts';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';

export interface CheckedPins {
  /** The texts that have to be added again, one for each pin. */
  readonly missing: readonly { readonly pin: string; readonly text: string }[];
  /** Pins that cannot be added again, with the reason. */
  readonly lost: readonly { readonly pin: string; readonly reason: string }[];
}

export function checkPins(
  pins: readonly string[],
  about: {
    /** Our own texts that the model will read: its system prompt, and the summary that replaces older messages. */
    readonly texts: readonly string[];
    /**
     * The files of this session, as its handlers left them. Files that are withheld from the session are not included.
     */
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

/** A fact may contain a `#` too; only a file has sections. */
const SECTION = /^[^#]*\.md\s*#/i;

type FoundPin = { readonly text: string; readonly words: string } | { readonly reason: string };

function sectionOf(
  pin: string,
  files: readonly Pick<WorkspaceBootstrapFile, 'name' | 'content' | 'missing'>[],
): FoundPin {
  const name = (pin.split('#', 1)[0] ?? '').trim();
  const file = files.find((each) => each.name.toLowerCase() === name.toLowerCase() && !each.missing);
  if (file?.content === undefined) return { reason: `this session reads no ${name}` };
  // Other sections with a keep comment are not part of this one.
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
