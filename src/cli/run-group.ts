// `atrium run`: what happened between a message and its answer.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function runGroup(program: Command): Command {
  return group(program, 'run', 'look at how a message became an answer');
}
