// Numbers from a command line.

import { BadFlagError } from '../gateway/errors.ts';

export function parseLimit(text: string): number {
  return parseWholeNumber('--limit', text, 1, 500);
}

export function parseWholeNumber(flag: string, text: string, least: number, most: number): number {
  const number = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new BadFlagError({ flag, value: text, expected: `a whole number from ${least} to ${most}` });
}
