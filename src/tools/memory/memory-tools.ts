// The tools that look into an agent's memory, over the same indexes and under the same policy.

import type { Tool } from '../tool.ts';
import type { MemoryPolicyOf } from './memory-access.ts';
import { createMemoryGetTool } from './memory-get.ts';
import { MemoryIndexes } from './memory-index.ts';
import { createMemorySearchTool } from './memory-search.ts';
import type { MemorySupplements } from './memory-supplements.ts';

export interface MemoryToolsOptions {
  readonly policyOf: MemoryPolicyOf;
  readonly now: () => number;
  /** What others know besides. */
  readonly supplements?: MemorySupplements | undefined;
}

export function createMemoryTools({ policyOf, now, supplements }: MemoryToolsOptions): readonly Tool[] {
  const indexes = new MemoryIndexes({ now });
  return [createMemoryGetTool({ policyOf, supplements }), createMemorySearchTool({ indexes, policyOf, supplements })];
}
