// The servers of tools that the configuration names. A gateway starts them when they are needed; a preview gets what
// they offered last and starts nothing.

import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { mcpServersOf } from '../../config/mcp-servers.ts';
import type { Store } from '../../store/store.ts';
import { McpServers } from '../../tools/mcp/mcp-servers.ts';

export interface McpOptions {
  readonly environment: Environment;
  readonly loaded: LoadedConfig;
  readonly store: Store;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

export function openMcp(options: McpOptions): McpServers {
  return build(options, true);
}

export function lookAtMcp(options: Omit<McpOptions, 'warn'>): McpServers {
  return build({ ...options, warn: () => {} }, false);
}

function build({ environment, loaded, store, now, warn }: McpOptions, mayStart: boolean): McpServers {
  const { home, variables } = environment;
  return new McpServers(mcpServersOf(loaded.config, home), { store, variables, now, warn, mayStart });
}
