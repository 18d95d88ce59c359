// The context as one handler sees it: a read-only view of the fields that all handlers of a dispatch share, with a
// signal of its own. It is a view and not a copy, because most handlers read one field or none. The signal is created,
// and an object among the fields copied, when a handler reads it.

import type { Deadline } from './deadline.ts';
import { type HookContext, traceFields } from './hook-context.ts';
import { frozenCopy } from './isolated-copy.ts';

/**
 * The fields of a dispatch, with a place for the signal. Only `handlerContext` uses them, because they are not frozen.
 */
export function contextFields(context: HookContext): HookContext {
  const { trace } = context;
  const fields = { signal: undefined, ...(trace && traceFields(trace)), ...context };
  return fields;
}

export function handlerContext(fields: HookContext, deadline: Deadline): object {
  return new Proxy(fields, new View(deadline));
}

/**
 * The parts of a handler's context, for code that sends it to another thread: the fields that it shares with others,
 * and its own deadline. Undefined for a context that is not a view.
 */
export function behindContext(context: object): BehindContext | undefined {
  return (context as { readonly [BEHIND]?: BehindContext })[BEHIND];
}

export interface BehindContext {
  readonly fields: HookContext;
  readonly deadline: Deadline;
}

const BEHIND = Symbol('behind');

type Fields = Record<string | symbol, unknown>;

/** The first handler that reads an object makes the frozen copy that all of them see. */
function fieldOf(fields: Fields, key: string | symbol): unknown {
  const field = fields[key];
  if (typeof field !== 'object' || field === null || COPIES.has(field) || !Object.hasOwn(fields, key)) return field;
  const copy = frozenCopy(field);
  COPIES.add(copy);
  fields[key] = copy;
  return copy;
}

const COPIES = new WeakSet<object>();

class View implements ProxyHandler<HookContext> {
  readonly #deadline: Deadline;

  constructor(deadline: Deadline) {
    this.#deadline = deadline;
  }

  get(fields: HookContext, key: string | symbol): unknown {
    if (key === BEHIND) return { fields, deadline: this.#deadline } satisfies BehindContext;
    return key === 'signal' ? this.#deadline.signal : fieldOf(fields as Fields, key);
  }

  getOwnPropertyDescriptor(fields: HookContext, key: string | symbol): PropertyDescriptor | undefined {
    fieldOf(fields as Fields, key);
    return Reflect.getOwnPropertyDescriptor(fields, key);
  }

  set(): false {
    return false;
  }

  defineProperty(): false {
    return false;
  }

  deleteProperty(): false {
    return false;
  }

  setPrototypeOf(): false {
    return false;
  }

  preventExtensions(): false {
    return false;
  }
}
