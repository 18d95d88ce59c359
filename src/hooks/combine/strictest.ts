// The strictest answer wins. This one function owns the order, for every hook that has levels.

/** `levels` goes from the mildest to the strictest. Of two equal answers the first is kept. */
export function strictest<Level extends string>(
  levels: readonly Level[],
  before: Level | undefined,
  next: Level | undefined,
): Level | undefined {
  if (before === undefined || next === undefined) return before ?? next;
  return levels.indexOf(next) > levels.indexOf(before) ? next : before;
}
