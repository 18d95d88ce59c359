// The difference between two lists of lines: which lines were removed, added and kept. The work is bounded; two long
// texts with little in common are reported as completely different.

import { commonLines } from '../common-lines.ts';

export type LineDifference =
  | { readonly kind: 'same'; readonly left: number; readonly right: number }
  | { readonly kind: 'removed'; readonly left: number }
  | { readonly kind: 'added'; readonly right: number };

/** The indices into both lists; removed lines stand before the lines that replace them. */
export function diffLines(left: readonly string[], right: readonly string[]): LineDifference[] {
  const differences: LineDifference[] = [];
  let [l, r] = [0, 0];
  const tellUntil = (leftEnd: number, rightEnd: number) => {
    while (l < leftEnd) differences.push({ kind: 'removed', left: l++ });
    while (r < rightEnd) differences.push({ kind: 'added', right: r++ });
  };
  for (const { before, after } of commonLines(left, right) ?? []) {
    tellUntil(before, after);
    differences.push({ kind: 'same', left: l++, right: r++ });
  }
  tellUntil(left.length, right.length);
  return differences;
}
