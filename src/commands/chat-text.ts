// Text for a chat answer: single lines, lists, numbers and durations in a form that people read easily.

import { countOf } from '../protocol/count-of.ts';
import { oneLine } from '../protocol/one-line.ts';

/**
 * Puts untrusted text on one line of bounded length, without control characters, which could move the cursor of a
 * person who reads it in a terminal.
 */
export function chatLine(text: string, longest: number = LONGEST): string {
  // Three backticks would end a code block that contains the line.
  return oneLine(text.replace(/```+/g, "'''"), longest);
}

const LONGEST = 200;

/** A heading with one entry per line, and no more entries than fit on a screen; empty when there are no entries. */
export function chatList(heading: string, entries: readonly string[], most: number = MOST_ENTRIES): readonly string[] {
  if (entries.length === 0) return [];
  const rest = entries.length - most;
  return [
    '',
    heading,
    ...entries.slice(0, most).map((entry) => `- ${entry}`),
    ...(rest > 0 ? [`- and ${rest.toLocaleString('en-US')} more`] : []),
  ];
}

const MOST_ENTRIES = 30;

/** For example `12,345 characters, about 3,100 tokens`. */
export function sizeOf({ chars, tokens }: { readonly chars: number; readonly tokens: number }): string {
  return `${countOf(chars, 'character')}, about ${countOf(tokens, 'token')}`;
}

/** For example `line 3` or `lines 3-9`. */
export function linesOf([first, last]: readonly [number, number]): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

/** A duration in its two largest units: `3 s`, `12 min`, `2 h 5 min`, `3 d 4 h`. */
export function describeDuration(ms: number): string {
  const at = UNITS.findIndex((unit) => ms >= unit.ms);
  const unit = UNITS[at];
  if (!unit) return '0 s';
  const whole = Math.floor(ms / unit.ms);
  // Seconds beside minutes would not help the reader.
  const next = unit.name === 'min' ? undefined : UNITS[at + 1];
  const rest = next ? Math.floor((ms - whole * unit.ms) / next.ms) : 0;
  return next && rest > 0 ? `${whole} ${unit.name} ${rest} ${next.name}` : `${whole} ${unit.name}`;
}

const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const;
