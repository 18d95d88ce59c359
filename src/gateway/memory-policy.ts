// The files that an agent's memory and file tools must not show: the same ones that are withheld from its prompts.

import { resolveAgentConfig } from '../config/agents.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { TAXONOMIES } from '../context/taxonomy.ts';
import type { MemoryPolicyOf } from '../tools/memory/memory-access.ts';
import { contextPolicyOf } from './composer/context-policy.ts';

export function memoryPolicyOf(settings: () => Config, environment: Environment): MemoryPolicyOf {
  return (agentId) => {
    const config = settings();
    const taxonomy = TAXONOMIES[resolveAgentConfig(config, agentId)?.taxonomy ?? 'openclaw'];
    const bootstrapFiles = taxonomy.files.flatMap(({ name, alternates = [] }) => [name, ...alternates]);
    return { ...contextPolicyOf(config, agentId, taxonomy, environment), bootstrapFiles };
  };
}
