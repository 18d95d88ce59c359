// `atrium plugins`: code from others that steps in, and how to bring one's own.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function pluginsGroup(program: Command): Command {
  return group(program, 'plugins', 'see, install, switch, load again and write plugins');
}
