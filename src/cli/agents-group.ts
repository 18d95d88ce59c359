// `atrium agents`: the agents of this home and the workspaces they live in.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function agentsGroup(program: Command): Command {
  return group(program, 'agents', 'add agents, create their workspaces and check them');
}
