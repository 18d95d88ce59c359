// Explains for each tool whether an agent is offered it in a session with a model, and which rule decided. It uses the
// same code that decides for a run and changes nothing.
// Errors: rejects as routing does, for an unknown agent or an invalid key.

import { parseModelRef } from '../../config/model-choice.ts';
import type { Config } from '../../config/schema.ts';
import { DEFAULT_ACCOUNT_ID } from '../../protocol/agent-id.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import { requesterOf } from '../../protocol/requester.ts';
import type { Route } from '../../routing/resolve-route.ts';
import { groupsOf } from '../../tools/policy/tool-groups.ts';
import type { ModelRegistry } from '../models/model-registry.ts';
import type { ToolOffer } from '../tool-offer.ts';

export interface ExplainToolsRequest {
  /** The default is the agent's main session. */
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
  /** The default is the agent's first choice. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

export interface ToolsExplanation {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly provider: string;
  readonly model: string;
  /** Whether tools that only the operator may use are offered there. */
  readonly isOwner: boolean;
  /** The steps that a tool has to pass, in order; a list that is null forbids nothing. */
  readonly steps: readonly {
    readonly source: string;
    readonly allow: readonly string[] | null;
    readonly deny: readonly string[] | null;
  }[];
  readonly tools: readonly ExplainedTool[];
  readonly warnings: readonly string[];
}

export interface ExplainedTool {
  readonly name: string;
  /** The plugin or server that provides it; null for the product's own. */
  readonly owner: string | null;
  readonly groups: readonly string[];
  readonly description: string;
  readonly isOffered: boolean;
  /** The rule that decided, in the words of the configuration. */
  readonly rule: string;
  /** The step of that rule; null when no step mentions the tool. */
  readonly source: string | null;
}

export interface ExplainToolsParts {
  readonly config: Config;
  readonly route: (inbound: Inbound) => Route;
  readonly models: Pick<ModelRegistry, 'candidates'>;
  readonly offer: ToolOffer;
}

/** Without a key, the agent's main session is explained. */
const MAIN_SESSION = 'main';

export async function explainTools(parts: ExplainToolsParts, request: ExplainToolsRequest): Promise<ToolsExplanation> {
  const inbound = inboundOf(request);
  const { agentId, sessionKey } = parts.route(inbound);
  const requester = requesterOf(inbound);
  const { provider, model } = modelOf(parts, request, agentId);
  const { isOwner, steps, tools, warnings } = await parts.offer.decided({
    agentId,
    sessionKey,
    requester,
    provider,
    model,
  });
  return {
    agentId,
    sessionKey,
    provider,
    model,
    isOwner,
    steps: steps.map(({ source, allow, deny }) => ({
      source,
      allow: allow?.entries.map(({ pattern }) => pattern) ?? null,
      deny: deny?.entries.map(({ pattern }) => pattern) ?? null,
    })),
    tools: tools.map(({ tool, verdict }) => ({
      name: tool.name,
      owner: tool.owner ?? null,
      groups: groupsOf(tool.name),
      description: tool.description,
      isOffered: verdict.isOffered,
      rule: verdict.rule,
      source: verdict.step?.source ?? null,
    })),
    warnings,
  };
}

/** Routing reads only the key; the other fields of a message would depend on the sender. */
function inboundOf({ sessionKey, agentId }: ExplainToolsRequest): Inbound {
  const peer = { kind: 'direct', id: 'operator' } as const;
  return {
    surface: { channel: 'cli', accountId: DEFAULT_ACCOUNT_ID, peer },
    sender: { id: peer.id },
    text: '',
    at: 0,
    agentId,
    sessionKey: sessionKey === undefined || sessionKey.trim() === '' ? MAIN_SESSION : sessionKey,
  };
}

/** The agent's first choice, unless the request names another: as provider and model, or both in one name. */
function modelOf(
  { config, models }: ExplainToolsParts,
  { provider, model }: ExplainToolsRequest,
  agentId: string,
): { readonly provider: string; readonly model: string } {
  if (provider !== undefined) return { provider, model: model ?? '' };
  if (model !== undefined) return parseModelRef(model, config);
  return models.candidates(agentId)[0] ?? { provider: '', model: '' };
}
