// The context as one handler is given it: a view of the fields that all handlers of a dispatch share, which nobody can
// change, with a signal of its own. A view rather than a copy, since most handlers look at one field or none; and the
// signal, which has to be made, is made for those who look at it.

import type { Deadline } from './deadline.ts';
import { type HookContext, withTraceFields } from './hook-context.ts';
import { frozenCopy } from './isolated-copy.ts';

/** The fields of a dispatch, with a place for the signal. For `handlerContext` only: they are not frozen themselves. */
export function contextFields(context: HookContext): HookContext {
  const fields: Record<string, unknown> = { signal: undefined, ...withTraceFields(context) };
  for (const key in fields) {
    const field = fields[key];
    if (typeof field === 'object' && field !== null) fields[key] = frozenCopy(field);
  }
  return fields;
}

export function handlerContext(fields: HookContext, deadline: Deadline): object {
  return new Proxy(fields, new View(deadline));
}

class View implements ProxyHandler<object> {
  readonly #deadline: Deadline;

  constructor(deadline: Deadline) {
    this.#deadline = deadline;
  }

  get(fields: object, key: string | symbol): unknown {
    return key === 'signal' ? this.#deadline.signal : (fields as Readonly<Record<string | symbol, unknown>>)[key];
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
