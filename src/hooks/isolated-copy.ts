// Copies of events, so that no handler can reach what another one sees. Lists and plain objects are copied at every
// depth; functions and objects of other classes are passed on as they are.

type Fields = Record<string, unknown>;

/** A copy that its receiver may change. */
export function isolatedCopy<Value>(value: Value): Value {
  return copy(value, false, undefined, 0);
}

/**
 * The same for an event, except that a long list among its fields, such as the history of a conversation, is copied
 * only when a handler reads it. Most handlers do not read it, and copying it is most of the cost.
 */
export function isolatedEvent<Event extends object>(event: Event): Event {
  const made = { ...event } as Fields;
  for (const key in made) {
    const field = made[key];
    if (typeof field !== 'object' || field === null) continue;
    if (Array.isArray(field) && field.length > LONG_LIST) copyWhenRead(made, key, field);
    else made[key] = isolatedCopy(field);
  }
  return made as Event;
}

/** A frozen copy, which any number of readers can share. */
export function frozenCopy<Value>(value: Value): Value {
  return copy(value, true, undefined, 0);
}

/**
 * Copying a shorter list of messages costs little more than delaying the copy. Delaying that of a longer one costs a
 * handler that reads it a microsecond, and saves the others more.
 */
const LONG_LIST = 4;

/**
 * No real event is this deep. Values below this depth are not copied, because copying them could overflow the stack.
 */
const MAX_DEPTH = 500;

function copyWhenRead(owner: Fields, key: string, list: readonly unknown[]): void {
  const keep = (value: unknown) => {
    Object.defineProperty(owner, key, { value, writable: true, enumerable: true, configurable: true });
    return value;
  };
  Object.defineProperty(owner, key, {
    get: () => keep(isolatedCopy(list)),
    set: keep,
    enumerable: true,
    configurable: true,
  });
}

/** `seen` maps each original to its copy; it is created for the first object inside of another. */
function copy<Value>(value: Value, freeze: boolean, seen: Map<object, object> | undefined, depth: number): Value {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  const known = seen?.get(value);
  if (known) return known as Value;
  if (Array.isArray(value)) return copyList(value, freeze, seen, depth) as Value;
  return isPlainObject(value) ? (copyFields(value as Fields, freeze, seen, depth) as Value) : value;
}

function copyList(list: readonly unknown[], freeze: boolean, seen: Map<object, object> | undefined, depth: number) {
  const made = [...list];
  seen?.set(list, made);
  for (let index = 0; index < made.length; index++) {
    const item = made[index];
    if (typeof item !== 'object' || item === null) continue;
    seen ??= new Map([[list, made]]);
    made[index] = copy(item, freeze, seen, depth + 1);
  }
  return freeze ? Object.freeze(made) : made;
}

function copyFields(object: Fields, freeze: boolean, seen: Map<object, object> | undefined, depth: number) {
  const made = { ...object };
  seen?.set(object, made);
  for (const key of Object.keys(made)) {
    const field = made[key];
    if (typeof field !== 'object' || field === null) continue;
    seen ??= new Map([[object, made]]);
    // An own field that has the name of the prototype exists already, so this assignment sets the field and nothing
    // else.
    made[key] = copy(field, freeze, seen, depth + 1);
  }
  return freeze ? Object.freeze(made) : made;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
