// The lines that two texts have in common, in the order in which both have them: the longest such list. The work is
// bounded by the number of lines that differ and never by time, because the same texts must always compare the same way.

import { createRequire } from 'node:module';

/** The places of one common line in both texts. */
export interface LinePair {
  readonly before: number;
  readonly after: number;
}

/** Texts that differ in more lines are not compared; together with the filter this takes at most about 0.1 s. */
const MAX_EDITS = 1_000;

/** Returns undefined when the texts differ in too many lines. */
export function commonLines(before: readonly string[], after: readonly string[]): readonly LinePair[] | undefined {
  // A line that only one text has cannot be common. Without those lines, comparing a rewritten text costs almost
  // nothing.
  const [own, theirs] = [placesOfShared(before, after), placesOfShared(after, before)];
  const edits = before.length - own.length + after.length - theirs.length;
  if (edits > MAX_EDITS) return undefined;
  if (own.length === 0) return [];
  const changes = loadDiff().diffArrays(
    own.map((at) => before[at]),
    theirs.map((at) => after[at]),
    { maxEditLength: MAX_EDITS - edits },
  );
  if (changes === undefined) return undefined;
  const pairs: LinePair[] = [];
  let [left, right] = [0, 0];
  for (const { added, removed, count } of changes) {
    if (added) right += count;
    else if (removed) left += count;
    else
      for (const end = left + count; left < end; left++, right++)
        pairs.push({ before: own[left] ?? 0, after: theirs[right] ?? 0 });
  }
  return pairs;
}

function placesOfShared(lines: readonly string[], others: readonly string[]): readonly number[] {
  const known = new Set(others);
  return lines.flatMap((line, at) => (known.has(line) ? [at] : []));
}

type Diff = typeof import('diff/lib/diff/array.js');
let diff: Diff | undefined;

/**
 * Most runs compare nothing, so the library is loaded with the first comparison. It is loaded synchronously, because
 * composition cannot wait for an import here.
 */
function loadDiff(): Diff {
  diff ??= createRequire(import.meta.url)('diff/lib/diff/array.js') as Diff;
  return diff;
}
