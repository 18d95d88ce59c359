// `atrium config`: the configuration of this home.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function configGroup(program: Command): Command {
  return group(program, 'config', 'check the configuration and see what can be set');
}
