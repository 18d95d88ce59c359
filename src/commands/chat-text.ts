// Text for a chat answer: one line, a list, numbers and stretches of time as people read them.

import { countOf } from '../protocol/count-of.ts';
import { oneLine } from '../protocol/one-line.ts';

/**
 * Text from elsewhere on one line: without control characters, which would move the cursor of a person who reads it in a
 * terminal, and no longer than a reader wants.
 */
export function chatLine(text: string, longest: number = LONGEST): string {
  // Three of these would end a block of code that the line stands in.
  return oneLine(text.replace(/```+/g, "'''"), longest);
}

const LONGEST = 200;

/** A heading with one entry a line, and no more of them than fit on a screen; nothing at all when there are none. */
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

/** `12,345 characters, about 3,100 tokens`. */
export function sizeOf({ chars, tokens }: { readonly chars: number; readonly tokens: number }): string {
  return `${countOf(chars, 'character')}, about ${countOf(tokens, 'token')}`;
}

/** `line 3`, `lines 3-9`. */
export function linesOf([first, last]: readonly [number, number]): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

/** A stretch of time in the two largest units that it has: `3 s`, `12 min`, `2 h 5 min`, `3 d 4 h`. */
export function describeDuration(ms: number): string {
  const at = UNITS.findIndex((unit) => ms >= unit.ms);
  const unit = UNITS[at];
  if (!unit) return '0 s';
  const whole = Math.floor(ms / unit.ms);
  // Seconds beside minutes are noise.
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
