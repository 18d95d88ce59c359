// Finds a piece of text: exactly if possible, else with any spacing, because text that was copied from a terminal or an
// editor rarely keeps its line ends and indentation.

import { escapePattern } from '../../protocol/escape-pattern.ts';

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Finds the first places, at most so many. */
export type TextFinder = (text: string, most?: number) => readonly TextRange[];

/** More places than this are of no use to a reader. */
const MAX_PLACES = 1_000;

export function exactFinder(wanted: string): TextFinder {
  return (text, most = MAX_PLACES) => {
    const found: TextRange[] = [];
    for (let at = text.indexOf(wanted); at !== -1 && found.length < most; ) {
      found.push({ start: at, end: at + wanted.length });
      at = text.indexOf(wanted, at + Math.max(1, wanted.length));
    }
    return found;
  };
}

/** Letters of both cases are the same, except that no other letter is the same as one of A to Z. */
export function caselessFinder(wanted: string): TextFinder {
  return patternFinder(new RegExp(escapePattern(wanted), 'gi'));
}

export function spacingFinder(wanted: string): TextFinder {
  return wordFinder(wanted, 'g');
}

export function otherCaseFinder(wanted: string): TextFinder {
  return wordFinder(wanted, 'gi');
}

function wordFinder(wanted: string, flags: string): TextFinder {
  const words = wanted.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return () => [];
  return patternFinder(new RegExp(words.map(escapePattern).join('\\s+'), flags));
}

function patternFinder(pattern: RegExp): TextFinder {
  return (text, most = MAX_PLACES) => {
    const found: TextRange[] = [];
    for (const match of text.matchAll(pattern)) {
      found.push({ start: match.index, end: match.index + match[0].length });
      if (found.length === most) break;
    }
    return found;
  };
}
