// `atrium cron`: jobs that run by themselves.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function cronGroup(program: Command): Command {
  return group(program, 'cron', 'keep jobs that agents do by themselves, and see what became of them');
}
