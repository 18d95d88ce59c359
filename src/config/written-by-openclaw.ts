// Whether OpenClaw has written a configuration: it leaves its version in every one that it saves.

import { parseKeyPattern, valueAt } from './config-path.ts';

export function isWrittenByOpenClaw(config: object): boolean {
  return ['meta.lastTouchedVersion', 'wizard.lastRunVersion'].some(
    (key) => typeof valueAt(config, parseKeyPattern(key)) === 'string',
  );
}
