// Tells the other nodes which workspaces this one has, so that an agent that has another workspace on each node is noticed.

import type { Cluster } from '../cluster/cluster.ts';
import { listAgentIds } from '../config/agents.ts';
import type { Config } from '../config/schema.ts';
import { ensureWorkspaceId } from '../context/workspace/workspace-id.ts';
import type { Workspaces } from './workspaces.ts';

export interface TellWorkspacesParts {
  readonly cluster: Pick<Cluster, 'isShared' | 'hasWorkspaces'>;
  readonly config: Config;
  readonly workspaces: Pick<Workspaces, 'ready'>;
  readonly workspaceDirOf: (agentId: string) => string;
}

export async function tellWorkspaces(parts: TellWorkspacesParts): Promise<void> {
  const { cluster, config, workspaces, workspaceDirOf } = parts;
  if (!cluster.isShared) return;
  const ids: Record<string, string> = {};
  for (const agentId of listAgentIds(config)) {
    await workspaces.ready(agentId);
    const id = await ensureWorkspaceId(workspaceDirOf(agentId));
    if (id !== undefined) ids[agentId] = id;
  }
  await cluster.hasWorkspaces(ids);
}
