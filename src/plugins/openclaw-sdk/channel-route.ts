// Session keys and routes as channel plugins build them. Their channels are not used here, but the same files often contain
// code that is.

import { normalizeAccountId as normalizeAccount, normalizeAgentId } from '../../protocol/agent-id.ts';
import { type AgentPeer, buildAgentPeerSessionKey } from '../../protocol/build-session-key.ts';

export const DEFAULT_ACCOUNT_ID = 'default';

export function normalizeAccountId(value: string | null | undefined): string {
  return normalizeAccount(value);
}

export function normalizeOptionalAccountId(value: string | null | undefined): string | undefined {
  return value?.trim() ? normalizeAccount(value) : undefined;
}

/** The agent that is marked as the default one, else the first. */
export function resolveDefaultAgentId(config: {
  readonly agents?: { readonly list?: readonly { readonly id?: string; readonly default?: boolean }[] };
}): string {
  const agents = config.agents?.list ?? [];
  const agent = agents.find((candidate) => candidate.default) ?? agents[0];
  return normalizeAgentId(agent?.id);
}

interface RoutePeer {
  readonly kind: 'direct' | 'group' | 'channel';
  readonly id: string;
}

export function buildAgentSessionKey(route: {
  readonly agentId: string;
  readonly channel: string;
  readonly accountId?: string | null;
  readonly peer?: RoutePeer | null;
  readonly dmScope?: AgentPeer['dmScope'];
}): string {
  const { agentId, channel, accountId, peer, dmScope } = route;
  return buildAgentPeerSessionKey({ agentId, channel, accountId, dmScope, peerKind: peer?.kind, peerId: peer?.id });
}

export function buildChannelOutboundSessionRoute(route: {
  readonly agentId: string;
  readonly channel: string;
  readonly accountId?: string | null;
  readonly peer: RoutePeer;
  readonly chatType: RoutePeer['kind'];
  readonly from: string;
  readonly to: string;
  readonly threadId?: string | number;
}) {
  const { peer, chatType, from, to, threadId } = route;
  const sessionKey = buildAgentSessionKey(route);
  return {
    sessionKey,
    baseSessionKey: sessionKey,
    peer,
    chatType,
    from,
    to,
    ...(threadId !== undefined && { threadId }),
  };
}

/** A thread has a session of its own, unless the channel's ids tell threads apart already. */
export function resolveThreadSessionKeys({
  baseSessionKey,
  threadId,
  parentSessionKey,
  useSuffix = true,
  normalizeThreadId = (id) => id.toLowerCase(),
}: {
  readonly baseSessionKey: string;
  readonly threadId?: string | null;
  readonly parentSessionKey?: string;
  readonly useSuffix?: boolean;
  readonly normalizeThreadId?: (threadId: string) => string;
}): { sessionKey: string; parentSessionKey: string | undefined } {
  const thread = threadId?.trim();
  if (!thread) return { sessionKey: baseSessionKey, parentSessionKey: undefined };
  const sessionKey = useSuffix ? `${baseSessionKey}:thread:${normalizeThreadId(thread)}` : baseSessionKey;
  return { sessionKey, parentSessionKey };
}

/** Where a command of the channel's own menu is answered, and which session it is about. */
export function resolveNativeCommandSessionTargets(command: {
  readonly agentId: string;
  readonly sessionPrefix: string;
  readonly userId: string;
  readonly targetSessionKey: string;
  readonly boundSessionKey?: string;
  readonly lowercaseSessionKey?: boolean;
}): { sessionKey: string; commandTargetSessionKey: string } {
  const { agentId, sessionPrefix, userId, targetSessionKey, boundSessionKey } = command;
  const ownKey = ['agent', agentId, sessionPrefix, userId].join(':');
  const sessionKey = boundSessionKey ?? ownKey;
  return {
    sessionKey: command.lowercaseSessionKey ? sessionKey.toLowerCase() : sessionKey,
    commandTargetSessionKey: boundSessionKey ?? targetSessionKey,
  };
}

export function stripChannelTargetPrefix(raw: string, ...providers: string[]): string {
  const text = raw.trim();
  const prefix = providers.find((provider) => text.toLowerCase().startsWith(`${provider.toLowerCase()}:`));
  return prefix === undefined ? text : text.slice(prefix.length + 1).trim();
}

export function stripTargetKindPrefix(raw: string): string {
  return raw.replace(/^(user|channel|group|conversation|room|dm):/i, '').trim();
}

export function normalizeWebhookPath(raw: string): string {
  const path = `/${raw.trim().replace(/^\/+|\/+$/g, '')}`;
  return path;
}

export function resolveWebhookPath({
  webhookPath,
  webhookUrl,
  defaultPath = null,
}: {
  readonly webhookPath?: string;
  readonly webhookUrl?: string;
  readonly defaultPath?: string | null;
}): string | null {
  if (webhookPath?.trim()) return normalizeWebhookPath(webhookPath);
  if (webhookUrl && URL.canParse(webhookUrl)) return normalizeWebhookPath(new URL(webhookUrl).pathname);
  return defaultPath;
}

export function resolveRequestUrl(input: string | URL | { readonly url: string }): string {
  return typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
}
