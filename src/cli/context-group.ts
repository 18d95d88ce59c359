// `atrium context`: everything about what an agent reads.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function contextGroup(program: Command): Command {
  return group(program, 'context', 'see what an agent reads, from whom, and what was left out');
}
