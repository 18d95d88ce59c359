// The routing part of a configuration, as the values that `routing/` works with. It accepts both forms where people
// write a setting in two ways.

import { listAgentIds, resolveDefaultAgentId } from '../../config/agents.ts';
import type { Config } from '../../config/schema.ts';
import { normalizeAccountId, normalizeAgentId } from '../../protocol/agent-id.ts';
import type { Binding, RoutingSettings } from '../../routing/routing-settings.ts';

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

function toBinding({ agentId, match }: NonNullable<Config['bindings']>[number], index: number): Binding {
  const account = match.accountId?.trim() ?? '';
  const { guildId = '', teamId = '', roles = [] } = match;
  const space =
    guildId.trim() !== ''
      ? ({ kind: 'guild', id: guildId.trim() } as const)
      : teamId.trim() !== ''
        ? ({ kind: 'team', id: teamId.trim() } as const)
        : undefined;
  return {
    agentId: normalizeAgentId(agentId),
    channel: match.channel.trim().toLowerCase(),
    accountId: account === '*' ? '*' : normalizeAccountId(account),
    peer: match.peer && { kind: match.peer.kind === 'dm' ? 'direct' : match.peer.kind, id: match.peer.id.trim() },
    space,
    roles: roles.map((role) => role.trim()).filter((role) => role !== ''),
    position: index + 1,
  };
}
