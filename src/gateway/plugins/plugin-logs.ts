// Writes the lines of plugins and handlers into the operator's log, under their name and with a limit. Lines that are left out
// are counted, and the count is written.

import type { PluginLogEntry } from '../../plugins/plugin-host.ts';
import type { LogFields, Say } from '../../protocol/log.ts';
import { oneLine } from '../../protocol/one-line.ts';

export interface PluginLogParts {
  /** Writes warnings and errors. */
  readonly warn: Say;
  /** Writes lines that only inform. */
  readonly log: Say;
  readonly now: () => number;
}

const MAX_CHARS = 2_000;
const WINDOW_MS = 10_000;
const LINES_A_WINDOW = 200;

type WriteEntry = (entry: PluginLogEntry) => void;

/** One log for each title, which is the name that its lines begin with, such as `plugin notes`. */
export function pluginLogs(parts: PluginLogParts): (title: string, pluginId?: string) => WriteEntry {
  const logs = new Map<string, WriteEntry>();
  return (title, pluginId) => {
    const known = logs.get(title) ?? pluginLog(title, { pluginId }, parts);
    logs.set(title, known);
    return known;
  };
}

function pluginLog(title: string, about: LogFields, { warn, log, now }: PluginLogParts): WriteEntry {
  let begunAt = Number.NEGATIVE_INFINITY;
  let lines = 0;
  return ({ level, text }) => {
    // Debug lines are for the plugin's author and not for the operator.
    if (level === 'debug') return;
    const at = now();
    if (at - begunAt >= WINDOW_MS || at < begunAt) {
      if (lines > LINES_A_WINDOW) warn(`${title}: ${lines - LINES_A_WINDOW} more lines were left out.`, about);
      begunAt = at;
      lines = 0;
    }
    lines += 1;
    if (lines > LINES_A_WINDOW) return;
    const line = oneLine(String(text), MAX_CHARS);
    if (line === '') return;
    if (level === 'info') log(`${title}: ${line}`, about);
    else warn(`${title}: ${line}`, about);
  };
}
