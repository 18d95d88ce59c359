// Creates a workspace for programs, with defaults filled in.

import { resolveDefaultAgentWorkspaceDir } from '../config/agent-workspace.ts';
import { resolveUserPath } from '../config/user-path.ts';
import { TAXONOMIES, type Taxonomy, type TaxonomyId } from '../context/taxonomy.ts';
import {
  type AgentWorkspace,
  type EnsureAgentWorkspaceParams,
  ensureAgentWorkspace as ensure,
} from '../context/workspace/ensure-workspace.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { checkOptions } from './check-options.ts';
import { UnknownOptionError } from './errors.ts';

export interface EnsureWorkspaceOptions extends Partial<Omit<EnsureAgentWorkspaceParams, 'taxonomy'>> {
  /** The id of a taxonomy, or the taxonomy itself. */
  readonly taxonomy?: TaxonomyId | Taxonomy | undefined;
}

const OPTIONS: Readonly<Record<keyof EnsureWorkspaceOptions, true>> = {
  dir: true,
  now: true,
  taxonomy: true,
  ensureBootstrapFiles: true,
  skipOptionalBootstrapFiles: true,
  initRepository: true,
};

/** Creates the directory, by default the default agent's, and writes the templates that are missing; never overwrites. */
export async function ensureAgentWorkspace(options: EnsureWorkspaceOptions = {}): Promise<AgentWorkspace> {
  checkOptions('ensureAgentWorkspace', options, Object.keys(OPTIONS));
  const { dir = resolveDefaultAgentWorkspaceDir(), now = new Date(), taxonomy, ...rest } = options;
  return ensure({ ...rest, now, dir: resolveUserPath(dir), taxonomy: taxonomyOf(taxonomy) });
}

function taxonomyOf(given: TaxonomyId | Taxonomy | undefined): Taxonomy | undefined {
  if (typeof given !== 'string') return given;
  if (Object.hasOwn(TAXONOMIES, given)) return TAXONOMIES[given];
  throw new UnknownOptionError({
    call: 'ensureAgentWorkspace',
    option: given,
    detail: 'there is no such taxonomy',
    suggestion: nearMatch(given, Object.keys(TAXONOMIES)),
  });
}
