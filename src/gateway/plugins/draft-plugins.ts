// What plugins add to a request besides their hooks: tools, and texts for the memory tools. A gateway and a preview without
// one use the same, so both offer a model the same tools.

import { join } from 'node:path';
import type { ToolScope } from '../../agent/run-parts.ts';
import { resolveAgentWorkspaceDir } from '../../config/agent-workspace.ts';
import type { Environment } from '../../config/environment.ts';
import { ownershipOf } from '../../config/owners.ts';
import type { Config } from '../../config/schema.ts';
import type { Plugins } from '../../plugins/plugins.ts';
import type { PluginToolScope } from '../../plugins/registration.ts';
import { isOwnersRun } from '../../sessions/session-visibility.ts';
import type { MemorySupplements } from '../../tools/memory/memory-access.ts';
import type { PolicyTool } from '../../tools/policy/decide-tool.ts';
import type { Tool } from '../../tools/tool.ts';
import { pluginMemory } from './plugin-memory.ts';
import { PluginTools } from './plugin-tools.ts';

export interface DraftPlugins {
  readonly registry: Plugins;
  readonly memory: MemorySupplements;
  /** All tools: the product's and those of plugins. */
  joinTools(own: readonly Tool[], scope: ToolScope): Promise<readonly Tool[]>;
  /** The tools of plugins, as far as their names are known without calling the plugins. */
  namedTools(): readonly PolicyTool[];
}

export interface DraftPluginsParts {
  readonly registry: Plugins;
  readonly environment: Environment;
  /** The configuration as it is now. */
  readonly settings: () => Config;
  /** The plugin that the operator chose as the memory. */
  readonly memoryHolder: () => string | null | undefined;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

export function draftPlugins({
  registry,
  environment,
  settings,
  memoryHolder,
  now,
  warn,
}: DraftPluginsParts): DraftPlugins {
  const tools = new PluginTools({ registry, memoryHolder, now, warn });
  return {
    registry,
    memory: pluginMemory({ registry, warn }),
    joinTools: (own, scope) => tools.join(own, pluginScopeOf(settings(), environment, scope)),
    namedTools: () =>
      registry
        .registered('tool')
        .flatMap(({ pluginId, registration }) => registration.names.map((name) => ({ name, owner: pluginId }))),
  };
}

function pluginScopeOf(config: Config, environment: Environment, scope: ToolScope): PluginToolScope {
  const { agentId, sessionKey, sessionId, requester, provider, model } = scope;
  return {
    workspaceDir: resolveAgentWorkspaceDir(config, agentId, environment.variables),
    agentDir: join(environment.stateDir, 'agents', agentId, 'agent'),
    agentId,
    sessionKey,
    ...(sessionId === undefined ? {} : { sessionId }),
    activeModel: { provider, modelId: model },
    messageChannel: requester.channel,
    agentAccountId: requester.accountId,
    requesterSenderId: requester.senderId,
    senderIsOwner: isOwnersRun({ sessionKey, requester, ...ownershipOf(config) }),
    sandboxed: false,
  };
}
