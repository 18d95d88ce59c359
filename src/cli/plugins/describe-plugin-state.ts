// One line about what a plugin is now, for commands that have just changed it.

import type { PluginStatus } from '../../plugins/plugin-status.ts';
import { oneLine } from '../output/format-table.ts';

export function describeState({ id, state, reason, notes }: PluginStatus): string {
  const failure = notes.find(({ code }) => code === 'load-failed');
  if (state === 'loaded') {
    const warnings = notes.filter(({ level }) => level !== 'info').length;
    const more = warnings === 0 ? '' : ` ${count(warnings)}: see "atrium plugins inspect ${id}".`;
    return oneLine(failure ? `${id} was not loaded again. ${reason}` : `${id} is loaded.${more}`);
  }
  const words = {
    disabled: 'is not loaded',
    failed: 'could not be loaded',
    suspended: 'is suspended',
    pending: 'waits',
  };
  return oneLine(`${id} ${words[state]}. ${reason}`);
}

function count(warnings: number): string {
  return warnings === 1 ? 'There is a warning' : `There are ${warnings} warnings`;
}
