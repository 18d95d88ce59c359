// Writes the lines of plugins and handlers into the operator's log, under their name and with a limit. Lines that are left out
// are counted, and the count is written.

import type { PluginLogEntry } from '../../plugins/plugin-host.ts';
import { oneLine } from '../../protocol/one-line.ts';

export interface PluginLogParts {
  /** The name that its lines begin with, such as `plugin notes`. */
  readonly title: string;
  /** For warnings and errors. */
  readonly warn: (sentence: string) => void;
  /** For information. */
  readonly log: (sentence: string) => void;
  readonly now: () => number;
}

const MAX_CHARS = 2_000;
const WINDOW_MS = 10_000;
const LINES_A_WINDOW = 200;

export function pluginLog({ title, warn, log, now }: PluginLogParts): (entry: PluginLogEntry) => void {
  let begunAt = Number.NEGATIVE_INFINITY;
  let lines = 0;
  return ({ level, text }) => {
    // Debug lines are for the plugin's author and not for the operator.
    if (level === 'debug') return;
    const at = now();
    if (at - begunAt >= WINDOW_MS || at < begunAt) {
      if (lines > LINES_A_WINDOW) warn(`${title}: ${lines - LINES_A_WINDOW} more lines were left out.`);
      begunAt = at;
      lines = 0;
    }
    lines += 1;
    if (lines > LINES_A_WINDOW) return;
    const line = oneLine(String(text), MAX_CHARS);
    if (line === '') return;
    if (level === 'info') log(`${title}: ${line}`);
    else warn(`${title}: ${line}`);
  };
}
