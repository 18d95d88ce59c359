// `atrium mcp`: the servers of tools that the configuration names.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function mcpGroup(program: Command): Command {
  return group(program, 'mcp', 'look at the MCP servers, which bring tools, and try them');
}
