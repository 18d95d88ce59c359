// `atrium sessions`: the conversations of this home.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function sessionsGroup(program: Command): Command {
  return group(program, 'sessions', 'list conversations, read, end or delete them');
}
