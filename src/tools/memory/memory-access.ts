// Who may look into an agent's memory through its tools. The same rule that keeps MEMORY.md out of a prompt keeps it,
// and the notes beside it, out of the answers of the memory tools and of the file tools. A command that `exec` runs is a
// program like any other: it sees what the gateway's user sees.

import { isCronSessionKey, isSharedSurfaceSessionKey, isSubagentSessionKey } from '../../protocol/session-key.ts';
import { isWithheldName, SEVERAL_PEOPLE_READ } from '../../protocol/withheld-file.ts';
import type { WithheldFiles } from '../contained-path.ts';
import { describeWithheld } from '../errors.ts';
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
  if (isShared({ sessionKey, surface }) && namesMemory(withholdOnSharedSurfaces))
    return refusal('private-surface', SEVERAL_PEOPLE_READ);
  const isHelper = isSubagentSessionKey(sessionKey) || isCronSessionKey(sessionKey);
  if (isHelper && !namesMemory(subagentFiles)) return refusal('filtered-session', 'this session works without it');
  return undefined;
}

/**
 * What the file tools must not open for a caller; undefined when everything is open. Subagents and cron jobs of the
 * operator may open it: they work on files that they are told of, and a job may tend the memory.
 */
export function withheldFiles(
  { agentId, sessionKey, surface }: Pick<ToolCaller, 'agentId' | 'sessionKey' | 'surface'>,
  policyOf: MemoryPolicyOf,
): WithheldFiles | undefined {
  const { withholdOnSharedSurfaces: names } = policyOf(agentId);
  if (names.length === 0 || !isShared({ sessionKey, surface })) return undefined;
  const withMemory = namesMemory(names);
  return {
    names,
    folders: withMemory ? ['memory'] : [],
    describe: (name) => (isMemoryName(name) || name === 'memory' ? MEMORY : name),
    because: SEVERAL_PEOPLE_READ,
  };
}

/** A private session may also answer in a group, so both are checked. */
function isShared({ sessionKey, surface }: Pick<ToolCaller, 'sessionKey' | 'surface'>): boolean {
  return isSharedSurfaceSessionKey(sessionKey) || surface.peer.kind !== 'direct';
}

function namesMemory(names: readonly string[]): boolean {
  return names.some(isMemoryName);
}

function isMemoryName(name: string): boolean {
  return isWithheldName(['MEMORY.md'], name);
}

const MEMORY = 'The memory (MEMORY.md and memory/)';

function refusal(reason: string, because: string): ToolOutput {
  return { content: describeWithheld({ what: MEMORY, because }), details: { status: 'withheld', reason } };
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
