// Suite tool-policy: profiles, groups, how lists are merged, and what is left of a set of tools after all of them.

import type { Config } from '../../src/config/schema.ts';
import { toolPolicyOf } from '../../src/config/tool-policy.ts';
import { parseAgentSessionKey } from '../../src/protocol/session-key.ts';
import { decideTool, toolDecider } from '../../src/tools/policy/decide-tool.ts';
import { policyList } from '../../src/tools/policy/policy-step.ts';
import {
  chooseProfile,
  pickToolLists,
  resolveToolPolicy,
  resolveToolProfile,
  subagentLists,
  type ToolLists,
  withAlsoAllow,
} from '../../src/tools/policy/resolve-tool-policy.ts';
import { expandToolGroups } from '../../src/tools/policy/tool-groups.ts';
import type { SuiteAdapter } from '../adapter.ts';

export const toolPolicy: SuiteAdapter = {
  resolveToolProfilePolicy: (input) => resolveToolProfile(input as string | undefined) ?? null,
  expandToolGroups: (input) => expandToolGroups(input as string[] | undefined),
  isToolAllowedByPolicyName: (input) => {
    const { policy, names } = input as { policy?: ToolLists; names: readonly string[] };
    const list = (patterns: readonly string[] | undefined) => policyList('a list', patterns, () => undefined);
    const step = { source: 'a policy', allow: list(policy?.allow), deny: list(policy?.deny) };
    return names.filter((name) => decideTool({ name }, [step]).isOffered);
  },
  mergeAlsoAllowPolicy: (input) => {
    const { policy, alsoAllow } = input as { policy?: ToolLists; alsoAllow?: readonly string[] };
    return withAlsoAllow(policy, alsoAllow) ?? null;
  },
  pickSandboxToolPolicy: (input) => pickToolLists(input as Parameters<typeof pickToolLists>[0]) ?? null,
  resolveSubagentToolPolicyForSession: (input) => {
    const { cfg, sessionKey } = input as { cfg: Config; sessionKey: string };
    const { subagent } = toolPolicyOf(cfg, { sessionKey });
    return subagent && subagentLists(subagent);
  },
  effectiveToolPolicy: (input) => effectivePolicy(input as EffectiveInput),
};

interface EffectiveInput {
  readonly config: Config;
  readonly sessionKey?: string;
  readonly agentId?: string;
  readonly modelProvider?: string;
  readonly modelId?: string;
  readonly tools: readonly string[];
  /** Tool name -> the plugin that brings it. */
  readonly pluginTools?: Readonly<Record<string, string>>;
}

function effectivePolicy(input: EffectiveInput): unknown {
  const { config, sessionKey, modelProvider: provider, modelId: model, tools, pluginTools = {} } = input;
  const agentId = input.agentId ?? parseAgentSessionKey(sessionKey)?.agentId;
  // The recorded pipeline ends before the rules for subagents and owners.
  const written = toolPolicyOf(config, { agentId, provider, model });
  const decide = toolDecider(resolveToolPolicy({ ...written, isOwner: true }));
  const { global, globalProvider, agent, agentProvider } = written;
  const own = chooseProfile(agent, global);
  const ofProvider = chooseProfile(agentProvider, globalProvider);
  return {
    resolved: {
      agentId,
      globalPolicy: pickToolLists(global),
      globalProviderPolicy: pickToolLists(globalProvider),
      agentPolicy: pickToolLists(agent),
      agentProviderPolicy: pickToolLists(agentProvider),
      profile: own.profile?.name,
      providerProfile: ofProvider.profile?.name,
      profileAlsoAllow: own.alsoAllow?.list,
      providerProfileAlsoAllow: ofProvider.alsoAllow?.list,
    },
    allowedTools: tools.filter((name) => decide({ name, owner: pluginTools[name] }).isOffered),
  };
}
