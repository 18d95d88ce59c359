// Runs something synchronous whose length somebody else decides, such as the patterns of a plugin's schema, and stops it
// when it takes too long: nothing else could, because no other code gets a turn meanwhile.

import { type Context, createContext, Script } from 'node:vm';

export type BoundedRun<Result> = { readonly isOver: true; readonly result: Result } | { readonly isOver: false };

/** Throws what `work` throws. What it had begun when its time was over stays as it is. */
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
/** Only a call with a time limit is wanted of it, so one context is enough for all calls. */
let place: Context | undefined;
