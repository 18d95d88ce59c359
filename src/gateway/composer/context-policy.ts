// The content and size settings of one agent, from the configuration.

import { resolveAgentConfig, resolveAgentDefaults, resolveDefaultAgentId } from '../../config/agents.ts';
import { resolveBootstrapLimits } from '../../config/bootstrap-limits.ts';
import { resolveContextInjectionMode } from '../../config/context-injection.ts';
import type { Environment } from '../../config/environment.ts';
import { shouldIncludeHeartbeatGuidance } from '../../config/heartbeat-guidance.ts';
import type { Config } from '../../config/schema.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import type { ContextPolicy } from '../../context/composition.ts';
import { configuredFileName, type Taxonomy } from '../../context/taxonomy.ts';

export function contextPolicyOf(
  config: Config,
  agentId: string,
  taxonomy: Taxonomy,
  environment: Environment,
): ContextPolicy {
  const { bootstrap = {} } = config;
  const { maxChars, totalMaxChars, warningMode } = resolveBootstrapLimits(config, agentId);
  const injection = resolveContextInjectionMode(config, agentId);
  const fileName = (name: string) => configuredFileName(taxonomy, name);
  const isDefault = agentId === resolveDefaultAgentId(config);
  return {
    maxChars,
    totalMaxChars,
    maxTokens:
      resolveAgentConfig(config, agentId)?.bootstrapMaxTokens ?? resolveAgentDefaults(config).bootstrapMaxTokens,
    priority: (bootstrap.priority ?? []).map(fileName),
    keep: (bootstrap.keep ?? []).map((selector) => selector.replace(/^[^#]*/, fileName)),
    subagentFiles: bootstrap.subagentFiles?.map(fileName) ?? taxonomy.subagentFiles,
    withholdOnSharedSurfaces: bootstrap.sharedSurfaces?.withhold?.map(fileName) ?? taxonomy.privateFiles,
    allowedRoots: (bootstrap.allowedRoots ?? []).map((root) =>
      resolveUserPath(root, environment.home, environment.cwd),
    ),
    missingMarkers: bootstrap.missingMarkers ?? 'required',
    policyDigest: bootstrap.policyDigest ?? true,
    // `once` means once per session; a composition alone does not know that, so it shows the notice.
    cutNotice: warningMode !== 'off',
    // Only the default agent's prompt mentions heartbeats; for other agents HEARTBEAT.md is a file like any other.
    heartbeatGuidance: !isDefault || shouldIncludeHeartbeatGuidance({ config, agentId }),
    contextMode: injection === 'never' ? 'none' : 'full',
  };
}
