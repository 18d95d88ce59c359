// `atrium skills`: instructions that agents look up when they need them.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function skillsGroup(program: Command): Command {
  return group(program, 'skills', 'see, install and remove skills');
}
