// Runs something synchronous whose length somebody else decides, such as the patterns of a plugin's schema, and stops it
// when it takes too long: nothing else could, since nobody gets a turn meanwhile.

import { type Context, createContext, runInContext } from 'node:vm';

export type BoundedRun<Result> = { readonly isOver: true; readonly result: Result } | { readonly isOver: false };

/** Throws what `work` throws. What it had begun when its time was over stays as it is. */
export function runBounded<Result>(work: () => Result, timeoutMs: number): BoundedRun<Result> {
  place ??= createContext(Object.create(null));
  place.work = work;
  try {
    return { isOver: true, result: runInContext('work()', place, { timeout: timeoutMs }) as Result };
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { isOver: false };
    throw error;
  } finally {
    place.work = undefined;
  }
}

/** Only a call with a time limit is wanted of it, so one is enough for all. */
let place: Context | undefined;
