// Which node the runs of an agent go to, because its workspace is there.

import { resolveAgentConfig } from './agents.ts';
import type { Config } from './schema.ts';

/** Undefined for an agent that is not bound: any node may run it, as its workspace is on a shared folder. */
export function nodeOfAgent(config: Config, agentId: string): string | undefined {
  return resolveAgentConfig(config, agentId)?.node || undefined;
}
