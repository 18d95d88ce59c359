// The file that a call of a file tool names, for whoever decides about the call before it runs. Says where the path leads
// as it is written; what is there, and whether it is a link, is seen when the call runs.

import { join } from 'node:path';
import type { JsonObject } from '../protocol/json.ts';

/** None when the call names no file that there could be. */
export function namedPaths({ path }: JsonObject, home: string | undefined): readonly string[] {
  if (typeof path !== 'string' || path.trim() === '') return [];
  const isAtHome = home !== undefined && (path === '~' || path.startsWith('~/'));
  return [isAtHome ? join(home, path.slice(1)) : path];
}
