// Each handler works on the value that the handler before it left. The last value is the result.

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
