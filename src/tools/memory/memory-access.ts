// Who may look into an agent's memory through its tools. The same rule that keeps MEMORY.md out of a prompt keeps it,
// and the notes beside it, out of the tools' answers. This concerns the memory tools only; the tool policy decides what the
// file tools may read.

import { isCronSessionKey, isSharedSurfaceSessionKey, isSubagentSessionKey } from '../../protocol/session-key.ts';
import type { ToolCaller, ToolOutput } from '../tool.ts';

/** The part of an agent's context policy that concerns its memory. */
export interface MemoryPolicy {
  /** Files that a surface which several people read must not see. */
  readonly withholdOnSharedSurfaces: readonly string[];
  /** The only files that subagents and cron jobs may see. */
  readonly subagentFiles: readonly string[];
}

export type MemoryPolicyOf = (agentId: string) => MemoryPolicy;

/** The answer to a caller who may not look; undefined for one who may. */
export function withheldMemory(
  { agentId, sessionKey, surface }: Pick<ToolCaller, 'agentId' | 'sessionKey' | 'surface'>,
  policyOf: MemoryPolicyOf,
): ToolOutput | undefined {
  const { withholdOnSharedSurfaces, subagentFiles } = policyOf(agentId);
  // A private session may also answer in a group, so both are checked.
  const isShared = isSharedSurfaceSessionKey(sessionKey) || surface.peer.kind !== 'direct';
  if (isShared && namesMemory(withholdOnSharedSurfaces))
    return refusal('private-surface', 'several people read this surface');
  const isHelper = isSubagentSessionKey(sessionKey) || isCronSessionKey(sessionKey);
  if (isHelper && !namesMemory(subagentFiles)) return refusal('filtered-session', 'this session works without it');
  return undefined;
}

function namesMemory(names: readonly string[]): boolean {
  return names.some((name) => name.toLowerCase() === 'memory.md');
}

function refusal(reason: string, because: string): ToolOutput {
  return {
    content: `The memory (MEMORY.md and memory/) is withheld here, because ${because}. Answer without it, and do not look for it another way.`,
    details: { status: 'withheld', reason },
  };
}

export interface MemorySupplements {
  /** Best first. Never rejects. */
  search(request: {
    readonly query: string;
    readonly maxResults: number;
    readonly sessionKey: string;
  }): Promise<readonly MemorySupplementHit[]>;
  /** What stands at a place that `search` named; undefined when it is no such place. */
  get(place: string): Promise<string | undefined>;
}

export interface MemorySupplementHit {
  readonly owner: string;
  /** `owner:place`, which `get` understands. */
  readonly place: string;
  readonly title: string;
  readonly text: string;
  readonly score: number;
}

export const NO_SUPPLEMENTS: MemorySupplements = { search: async () => [], get: async () => undefined };
