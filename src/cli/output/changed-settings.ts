// The block "changed since start": settings whose change a running gateway takes up only when it is started again.

import { isDeepStrictEqual } from 'node:util';
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
    ...changed.map((setting) => `  ${setting.path}: ${described(setting)}`),
  ].map(visibleLine);
}

/** Two secrets that differ look the same. */
function described({ inUse, inFile }: WaitingSetting): string {
  if (inUse !== null && isDeepStrictEqual(inUse, inFile)) return 'the file says another value; both are hidden';
  return `${shown(inUse)} is in use, the file says ${shown(inFile)}`;
}

function shown(value: JsonValue): string {
  return value === null ? '(not set)' : oneLine(JSON.stringify(value), MOST_CHARS);
}
