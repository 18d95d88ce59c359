// The agents of a configuration, as people are told of them.

import { listAgentIds, resolveDefaultAgentId } from '../config/agents.ts';
import type { Config } from '../config/schema.ts';
import type { AgentStatus } from './gateway-port.ts';

export function listAgentStatuses(
  config: Config,
  workspaceDirOf: (agentId: string) => string,
  /** `provider/model`, first choice first. */
  modelsOf: (agentId: string) => readonly string[],
): readonly AgentStatus[] {
  return listAgentIds(config).map((agentId) => {
    const [model = 'none', ...fallbacks] = modelsOf(agentId);
    const isDefault = agentId === resolveDefaultAgentId(config);
    return { agentId, isDefault, workspaceDir: workspaceDirOf(agentId), model, fallbacks };
  });
}
