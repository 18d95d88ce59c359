// Runs synchronous work whose duration depends on input from outside, such as the patterns of a plugin's schema, and
// stops it when it takes too long. No other code could stop it, because no other code runs in the meantime.

import { type Context, createContext, Script } from 'node:vm';

export type BoundedRun<Result> = { readonly isOver: true; readonly result: Result } | { readonly isOver: false };

/** Throws what `work` throws. When the time is over, the work stays half done. */
export function runBounded<Result>(work: () => Result, timeoutMs: number): BoundedRun<Result> {
  place ??= createContext(Object.create(null));
  place.work = work;
  try {
    return { isOver: true, result: CALL.runInContext(place, { timeout: timeoutMs }) as Result };
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { isOver: false };
    throw error;
  } finally {
    place.work = undefined;
  }
}

const CALL = new Script('work()');
/** The context is used only for its time limit, so one context serves all calls. */
let place: Context | undefined;
