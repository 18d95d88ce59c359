// Copies of events, so that no handler can reach what another one sees. Lists and plain objects are copied as deep as
// they go; functions and objects with a class of their own are passed on as they are.

/** A copy that is the receiver's own to change. */
export function isolatedCopy<Value>(value: Value): Value {
  return copy(value, false, new Map(), 0);
}

/** A copy that nobody can change; one serves any number of readers. */
export function frozenCopy<Value>(value: Value): Value {
  return copy(value, true, new Map(), 0);
}

/** Deeper than any real event; what lies below is not copied rather than overflowing the stack. */
const MAX_DEPTH = 500;

function copy<Value>(value: Value, freeze: boolean, seen: Map<object, object>, depth: number): Value {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  const known = seen.get(value);
  if (known) return known as Value;
  const made: object | undefined = Array.isArray(value) ? [] : isPlainObject(value) ? {} : undefined;
  if (!made) return value;
  seen.set(value, made);
  for (const [key, field] of Object.entries(value)) {
    const own = copy(field, freeze, seen, depth + 1);
    // An own field of this name would otherwise set the prototype.
    if (key === '__proto__') Object.defineProperty(made, key, { value: own, enumerable: true, writable: true });
    else (made as Record<string, unknown>)[key] = own;
  }
  return (freeze ? Object.freeze(made) : made) as Value;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
