// Computes a version of everything in the configuration that decides what an agent's tools may do. It changes when any
// of that changes, and approvals that were given under another version are void.

import { createHash } from 'node:crypto';
import { resolveAgentConfig } from './agents.ts';
import type { Config } from './schema.ts';

export function policyVersionOf(config: Config, agentId: string): string {
  const { tools, approvals, mcp } = config;
  const own = resolveAgentConfig(config, agentId)?.tools;
  // The order in the file is part of the version: a reordered policy asks once more, and no change is missed.
  const policy = JSON.stringify([tools ?? null, own ?? null, approvals ?? null, mcp ?? null]);
  return createHash('sha256').update(policy).digest('hex').slice(0, 16);
}
