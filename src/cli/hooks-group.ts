// `atrium hooks`: everything that adds to what an agent reads, and how to bring one's own.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function hooksGroup(program: Command): Command {
  return group(program, 'hooks', 'see, switch, write and test what steps in when a prompt is composed');
}

/** The flags that say whose handlers are meant. */
export interface HookFlags {
  readonly agent?: string;
  readonly workspace?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export function addHookOptions(command: Command): Command {
  return command
    .option('--agent <id>', 'the agent whose handlers are meant (default: the configured default agent)')
    .option('--workspace <dir>', "use this folder instead of the agent's workspace")
    .option('--config <file>', 'read this configuration file only');
}
