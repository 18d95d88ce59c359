// The routing part of a configuration, as the values that `routing/` works with. It accepts both forms where people
// write a setting in two ways.

import { listAgentIds, resolveDefaultAgentId } from '../config/agents.ts';
import type { Config } from '../config/schema.ts';
import { normalizeAccountId, normalizeAgentId } from '../protocol/agent-id.ts';
import type { Binding, RoutingSettings } from '../routing/routing-settings.ts';

export function routingSettingsOf(config: Config): RoutingSettings {
  const session = config.session ?? {};
  return {
    agentIds: listAgentIds(config),
    defaultAgentId: resolveDefaultAgentId(config),
    bindings: (config.bindings ?? []).map(toBinding),
    dmScope: session.dmScope ?? 'per-channel-peer',
    scope: session.scope ?? 'per-sender',
    mainKey: session.mainKey,
    identityLinks: session.identityLinks ?? {},
  };
}

/** Conditions of OpenClaw that need facts which only a channel knows, such as servers and roles. */
const UNCHECKED_CONDITIONS = ['guildId', 'teamId', 'roles'] as const;

function toBinding({ agentId, match }: NonNullable<Config['bindings']>[number], index: number): Binding {
  const account = match.accountId?.trim() ?? '';
  return {
    agentId: normalizeAgentId(agentId),
    channel: match.channel.trim().toLowerCase(),
    accountId: account === '*' ? '*' : normalizeAccountId(account),
    peer: match.peer && { kind: match.peer.kind === 'dm' ? 'direct' : match.peer.kind, id: match.peer.id.trim() },
    position: index + 1,
    unchecked: UNCHECKED_CONDITIONS.filter((condition) => isGiven(match[condition])),
  };
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';
}
