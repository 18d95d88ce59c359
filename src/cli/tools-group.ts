// `atrium tools`: what agents may do.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function toolsGroup(program: Command): Command {
  return group(program, 'tools', 'see which tools an agent is offered, and why');
}
