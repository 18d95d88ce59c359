// The combinators that the catalog's rows name: how one more answer changes a field of the result. All are pure.

/** The contributions of all handlers are kept, in order: texts are joined with a blank line, lists are concatenated. */
export function collect(before: unknown, next: unknown): unknown {
  if (before === undefined || before === '') return next;
  if (next === undefined || next === '') return before;
  if (Array.isArray(before) && Array.isArray(next)) return [...before, ...next];
  return `${before}\n\n${next}`;
}

/** The first handler that sets the field decides; an empty text counts as set. */
export function first<Value>(before: Value | undefined, next: Value | undefined): Value | undefined {
  return before === undefined ? next : before;
}

/** Each handler works on the value that the handler before it left. The last value is the result. */
export function chain<Value>(before: Value | undefined, next: Value | undefined): Value | undefined {
  return next === undefined ? before : next;
}

/** The event as the next handler sees it. `into` maps result fields to event fields that have another name. */
export function chainedEvent(
  event: Readonly<Record<string, unknown>>,
  result: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  into: Readonly<Record<string, readonly string[]>> = {},
): Readonly<Record<string, unknown>> {
  const changed: Record<string, unknown> = {};
  for (const field of fields) {
    if (result[field] === undefined) continue;
    for (const target of into[field] ?? [field]) changed[target] = result[field];
  }
  return { ...event, ...changed };
}

/**
 * The strictest answer wins. `levels` goes from the mildest to the strictest, and of two equal answers the first is
 * kept. Every hook with levels uses this function, so that the order is defined once.
 */
export function strictest<Level extends string>(
  levels: readonly Level[],
  before: Level | undefined,
  next: Level | undefined,
): Level | undefined {
  if (before === undefined || next === undefined) return before ?? next;
  return levels.indexOf(next) > levels.indexOf(before) ? next : before;
}

/** The first handler that answers `handled` claims the message, and no handler after it is asked. */
export function isClaim(answer: { readonly handled?: unknown }): boolean {
  return Boolean(answer.handled);
}
