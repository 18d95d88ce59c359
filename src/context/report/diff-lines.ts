// The difference between two lists of lines, as a person would tell it: what went, what came, what stayed. The work is
// bounded; two long texts with little in common are told apart as a whole.

export type LineDifference =
  | { readonly kind: 'same'; readonly left: number; readonly right: number }
  | { readonly kind: 'removed'; readonly left: number }
  | { readonly kind: 'added'; readonly right: number };

/** Above this many pairs of lines the part that differs is not compared line by line. */
const MAX_LINE_PAIRS = 4_000_000;

/** Indices into both lists; removed lines stand before the lines that replace them. */
export function diffLines(left: readonly string[], right: readonly string[]): LineDifference[] {
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head && left.at(-1 - tail) === right.at(-1 - tail)) tail++;

  const middle = diffMiddle(left.slice(head, left.length - tail), right.slice(head, right.length - tail));
  const differences: LineDifference[] = [];
  for (let i = 0; i < head; i++) differences.push({ kind: 'same', left: i, right: i });
  for (const difference of middle) differences.push(shift(difference, head));
  for (let i = tail; i > 0; i--) differences.push({ kind: 'same', left: left.length - i, right: right.length - i });
  return differences;
}

function diffMiddle(left: readonly string[], right: readonly string[]): LineDifference[] {
  if (left.length * right.length > MAX_LINE_PAIRS) {
    return [
      ...left.map((_, i): LineDifference => ({ kind: 'removed', left: i })),
      ...right.map((_, j): LineDifference => ({ kind: 'added', right: j })),
    ];
  }
  const width = right.length + 1;
  const common = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const here = i * width + j;
      common[here] =
        left[i] === right[j]
          ? (common[here + width + 1] ?? 0) + 1
          : Math.max(common[here + width] ?? 0, common[here + 1] ?? 0);
    }
  }
  const differences: LineDifference[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const here = i * width + j;
    if (i < left.length && j < right.length && left[i] === right[j]) {
      differences.push({ kind: 'same', left: i++, right: j++ });
    } else if (j === right.length || (i < left.length && (common[here + width] ?? 0) >= (common[here + 1] ?? 0))) {
      differences.push({ kind: 'removed', left: i++ });
    } else {
      differences.push({ kind: 'added', right: j++ });
    }
  }
  return differences;
}

function shift(difference: LineDifference, by: number): LineDifference {
  switch (difference.kind) {
    case 'same':
      return { kind: 'same', left: difference.left + by, right: difference.right + by };
    case 'removed':
      return { kind: 'removed', left: difference.left + by };
    case 'added':
      return { kind: 'added', right: difference.right + by };
  }
}
