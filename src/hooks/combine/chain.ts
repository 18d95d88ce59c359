// Each handler works on what the one before it left: the last value stands, and is put into the event that the next
// handler sees.

export function chain<Value>(before: Value | undefined, next: Value | undefined): Value | undefined {
  return next === undefined ? before : next;
}

/** The event as the next handler sees it. `into` names event fields where they differ from the result's. */
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
