// The first handler that says anything decides; an empty text is something.

export function first<Value>(before: Value | undefined, next: Value | undefined): Value | undefined {
  return before === undefined ? next : before;
}
