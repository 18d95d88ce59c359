// The agent that a command is about: its id, its workspace and its set of files. A look-up in the configuration; no
// handler is loaded and the workspace need not exist.

import { resolveAgentWorkspaceDir } from '../../config/agent-workspace.ts';
import { listAgentIds, resolveAgentConfig, resolveDefaultAgentId } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { TAXONOMIES, type Taxonomy } from '../../context/taxonomy.ts';
import { normalizeAgentId } from '../../protocol/agent-id.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { UnknownAgentError } from '../../routing/errors.ts';

export interface ResolvedAgent {
  readonly agentId: string;
  readonly isDefault: boolean;
  readonly taxonomy: Taxonomy;
  readonly workspaceDir: string;
}

/** The default agent when no id is given; an id that no agent has is an error. */
export function resolveAgent(config: Config, environment: Environment, id?: string): ResolvedAgent {
  const defaultId = resolveDefaultAgentId(config);
  const agentId = id === undefined ? defaultId : normalizeAgentId(id);
  const known = listAgentIds(config);
  if (!known.includes(agentId)) throw new UnknownAgentError({ agentId, known, suggestion: nearMatch(agentId, known) });
  return {
    agentId,
    isDefault: agentId === defaultId,
    taxonomy: TAXONOMIES[resolveAgentConfig(config, agentId)?.taxonomy ?? 'openclaw'],
    workspaceDir: resolveAgentWorkspaceDir(config, agentId, environment.variables),
  };
}

/** The folder that `--workspace` names, else the workspace of the agent that `--agent` names. */
export function resolveWorkspaceDir(
  config: Config,
  environment: Environment,
  flags: { readonly agent?: string; readonly workspace?: string },
): string {
  if (flags.workspace === undefined) return resolveAgent(config, environment, flags.agent).workspaceDir;
  return resolveUserPath(flags.workspace, environment.home, environment.cwd);
}
