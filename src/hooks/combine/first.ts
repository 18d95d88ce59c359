// The first handler that sets the field decides; an empty text counts as set.

export function first<Value>(before: Value | undefined, next: Value | undefined): Value | undefined {
  return before === undefined ? next : before;
}
