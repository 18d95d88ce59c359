// `atrium approvals`: tool calls that wait for a person, and the rules that let some pass without one.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function approvalsGroup(program: Command): Command {
  return group(program, 'approvals', 'look at tool calls that wait for a person, answer them, and revoke rules');
}
