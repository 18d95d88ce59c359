// The block "changed since start": settings whose change a running gateway takes up only when it is started again.

import type { WaitingSetting } from '../../gateway/settings/config-state.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { visibleLine } from './text.ts';

const MOST_CHARS = 120;

/** The lines of the block, fit to be shown; none when the gateway follows its files. */
export function changedLines(changed: readonly WaitingSetting[]): readonly string[] {
  if (changed.length === 0) return [];
  return [
    'changed since start (restart to use it: atrium restart):',
    ...changed.map(({ path, inUse, inFile }) => `  ${path}: ${shown(inUse)} is in use, the file says ${shown(inFile)}`),
  ].map(visibleLine);
}

function shown(value: JsonValue): string {
  return value === null ? '(not set)' : oneLine(JSON.stringify(value), MOST_CHARS);
}
