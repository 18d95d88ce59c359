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

/**
 * What is behind a handler's context, for whoever carries it to another thread: the fields that it has in common with
 * others, and its own time. Undefined for a context that is no view.
 */
export function behindContext(context: object): BehindContext | undefined {
  return (context as { readonly [BEHIND]?: BehindContext })[BEHIND];
}

export interface BehindContext {
  readonly fields: HookContext;
  readonly deadline: Deadline;
}

const BEHIND = Symbol('behind');

class View implements ProxyHandler<HookContext> {
  readonly #deadline: Deadline;

  constructor(deadline: Deadline) {
    this.#deadline = deadline;
  }

  get(fields: HookContext, key: string | symbol): unknown {
    if (key === BEHIND) return { fields, deadline: this.#deadline } satisfies BehindContext;
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
