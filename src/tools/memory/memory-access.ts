// Who may look into an agent's memory through its tools. The same rule that keeps files out of a prompt keeps them out of
// the answers of the memory tools and of the file tools. It holds for a child as for every session that it works for. A
// command that `exec` runs is a program like any other: it sees what the gateway's user sees.

import { isCronSessionKey, isSharedSurfaceSessionKey, isSubagentSessionKey } from '../../protocol/session-key.ts';
import { isWithheldName, SEVERAL_PEOPLE_READ } from '../../protocol/withheld-file.ts';
import { isForSeveralPeople } from '../../store/lineage-of.ts';
import type { ChildRow } from '../../store/tables.ts';
import type { WithheldFiles } from '../contained-path.ts';
import { describeWithheld } from '../errors.ts';
import type { ToolCaller, ToolOutput } from '../tool.ts';

/** The part of an agent's context policy that concerns its memory. */
export interface MemoryPolicy {
  /** Files that a surface which several people read must not see. */
  readonly withholdOnSharedSurfaces: readonly string[];
  /** The only bootstrap files that subagents and cron jobs may see. */
  readonly subagentFiles: readonly string[];
  /** All bootstrap files of the agent, in every spelling. */
  readonly bootstrapFiles: readonly string[];
}

export type MemoryPolicyOf = (agentId: string) => MemoryPolicy;

/** What decides about the files of an agent. */
export interface MemoryRules {
  readonly policyOf: MemoryPolicyOf;
  /** The rows of a child and of the children above it; empty for a session that no other session spawned. */
  readonly lineageOf: (sessionKey: string) => Promise<readonly Pick<ChildRow, 'parentKey' | 'origin' | 'boundTo'>[]>;
}

type Looking = Pick<ToolCaller, 'agentId' | 'sessionKey' | 'surface'>;

/** The answer to a caller who may not look; undefined for one who may. */
export async function withheldMemory(caller: Looking, rules: MemoryRules): Promise<ToolOutput | undefined> {
  const { agentId, sessionKey } = caller;
  const { withholdOnSharedSurfaces, subagentFiles } = rules.policyOf(agentId);
  if (namesMemory(withholdOnSharedSurfaces) && (await isShared(caller, rules)))
    return refusal('private-surface', SEVERAL_PEOPLE_READ);
  const isHelper = isSubagentSessionKey(sessionKey) || isCronSessionKey(sessionKey);
  if (isHelper && !namesMemory(subagentFiles)) return refusal('filtered-session', WORKS_WITHOUT);
  return undefined;
}

/**
 * What the file tools must not open for a caller; undefined when everything is open. A cron job that answers nowhere, or
 * to one person, may open it: the operator wrote its task, which may be to tend the memory.
 */
export async function withheldFiles(caller: Looking, rules: MemoryRules): Promise<WithheldFiles | undefined> {
  const { withholdOnSharedSurfaces, subagentFiles, bootstrapFiles } = rules.policyOf(caller.agentId);
  const fromOthers = (await isShared(caller, rules)) ? withholdOnSharedSurfaces : [];
  const fromChildren = isSubagentSessionKey(caller.sessionKey)
    ? bootstrapFiles.filter((name) => !isWithheldName(subagentFiles, name))
    : [];
  const names = [...new Set([...fromOthers, ...fromChildren])];
  if (names.length === 0) return undefined;
  const isMemory = (name: string) => isMemoryName(name) || name === 'memory';
  const isFromOthers = (name: string) =>
    isWithheldName(fromOthers, name) || (isMemory(name) && namesMemory(fromOthers));
  return {
    names,
    folders: namesMemory(names) ? ['memory'] : [],
    describe: (name) => (isMemory(name) ? MEMORY : name),
    because: (name) => (isFromOthers(name) ? SEVERAL_PEOPLE_READ : WORKS_WITHOUT),
  };
}

/** A private session may also answer in a group, and a child works for its parent, so all of them are checked. */
async function isShared({ sessionKey, surface }: Looking, { lineageOf }: MemoryRules): Promise<boolean> {
  if (isSharedSurfaceSessionKey(sessionKey) || surface.peer.kind !== 'direct') return true;
  return isForSeveralPeople(await lineageOf(sessionKey));
}

const WORKS_WITHOUT = 'this session works without it';

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
