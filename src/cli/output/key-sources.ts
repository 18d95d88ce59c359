// The block "keys": from where each key and token comes. It shows names and places and never a value.

import type { KeySource } from '../../config/secrets/list-key-sources.ts';
import { visibleLine } from './text.ts';

/** The lines of the block, fit to be shown; none when there is no key. */
export function keyLines(keys: readonly KeySource[]): readonly string[] {
  if (keys.length === 0) return [];
  return ['keys:', ...keys.map((each) => `  ${describeKey(each)}`)].map(visibleLine);
}

export function describeKey({ key, from, problem }: KeySource): string {
  return problem === undefined ? `${key}: ${from}` : `${key}: ${problem}`;
}
