// Describes what a compaction did, in one or two sentences for people.

import { chatLine } from '../../commands/chat-text.ts';
import type { CompactionFacts } from './compaction-facts.ts';

export function describeCompaction({ by, tokensBefore, tokensAfter, pins, pruned }: CompactionFacts): string {
  const number = (count: number) => count.toLocaleString('en-US');
  const how = by === null ? describePruning(pruned) : `older messages became a summary, written by ${chatLine(by)}`;
  return [
    `The conversation was shortened from about ${number(tokensBefore)} to ${number(tokensAfter)} tokens: ${how}.`,
    ...(pins.added.length === 0 ? [] : [`Said again because they are pinned: ${listOf(pins.added)}.`]),
    ...(pins.lost.length === 0 ? [] : [`Pinned, and could not be kept: ${listOf(pins.lost)}.`]),
  ].join(' ');
}

export function describePruning(kinds: CompactionFacts['pruned']): string {
  return kinds.map((kind) => PRUNED_WORDS[kind]).join(', and ');
}

const PRUNED_WORDS = {
  contributions: 'what plugins had added to old messages was left out',
  'tool-results': 'old tool results were pruned',
} as const;

function listOf(pins: readonly string[]): string {
  return pins.map((pin) => `"${chatLine(pin)}"`).join(', ');
}
