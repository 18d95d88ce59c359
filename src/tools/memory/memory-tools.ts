// The tools that look into an agent's memory, over the same indexes and under the same policy.

import type { Tool } from '../tool.ts';
import type { MemoryPolicyOf } from './memory-access.ts';
import { createMemoryGetTool } from './memory-get.ts';
import { MemoryIndexes } from './memory-index.ts';
import { createMemorySearchTool } from './memory-search.ts';

export interface MemoryToolsOptions {
  readonly policyOf: MemoryPolicyOf;
  readonly now: () => number;
}

export function createMemoryTools({ policyOf, now }: MemoryToolsOptions): readonly Tool[] {
  const indexes = new MemoryIndexes({ now });
  return [createMemoryGetTool({ policyOf }), createMemorySearchTool({ indexes, policyOf })];
}
