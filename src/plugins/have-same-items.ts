// Whether two lists hold the very same things in the same order, for whoever keeps an answer as long as nothing changed.

export function haveSameItems(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((item, index) => Object.is(item, now[index]));
}
