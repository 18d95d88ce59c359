// The strictest answer stands. One function owns the order, whatever the levels of a hook are called.

/** `levels` goes from the mildest to the strictest. Of two equal answers the first stays. */
export function strictest<Level extends string>(
  levels: readonly Level[],
  before: Level | undefined,
  next: Level | undefined,
): Level | undefined {
  if (before === undefined || next === undefined) return before ?? next;
  return levels.indexOf(next) > levels.indexOf(before) ? next : before;
}
