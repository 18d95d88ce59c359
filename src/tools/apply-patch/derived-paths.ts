// The files that a call of `apply_patch` names, for whoever decides about the call before it runs. Looks at the headers
// alone, so that it also answers for a patch that will not be understood. Every path that a patch can touch is among
// them, because the parser reads its paths with the same function.

import type { JsonObject } from '../../protocol/json.ts';
import { MAX_PATCH_FILES, pathOfHeader } from './parse-patch.ts';

/** As written, in order, each once. A patch that could be applied never names more files than are returned. */
export function derivedPathsOf({ input }: JsonObject): readonly string[] {
  if (typeof input !== 'string') return [];
  const paths = new Set<string>();
  for (const line of input.split('\n')) {
    const path = pathOfHeader(line);
    if (path) paths.add(path);
    // A file that moves has two.
    if (paths.size === 2 * MAX_PATCH_FILES) break;
  }
  return [...paths];
}
