// Decides where a message goes: which agent answers, and in which session. It is a pure look-up that also says in
// sentences what decided, so that `atrium route explain` and the gateway cannot disagree. The caller passes the agents
// that exist.

import { normalizeAccountId, normalizeAgentId } from '../protocol/agent-id.ts';
import {
  type AgentPeer,
  buildAgentPeerSessionKey,
  resolveThreadSessionKeys,
  toAgentStoreSessionKey,
} from '../protocol/build-session-key.ts';
import type { Inbound, Peer, Space, Surface } from '../protocol/inbound.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { normalizeSessionKey, parseAgentSessionKey } from '../protocol/session-key.ts';
import { InvalidSessionKeyError, UnknownAgentError } from './errors.ts';
import type { Binding, RoutingSettings } from './routing-settings.ts';

export interface Route {
  readonly agentId: string;
  readonly sessionKey: string;
  /** For a thread, the session of the place that the thread belongs to. */
  readonly parentSessionKey?: string | undefined;
  /** One sentence for each rule that was checked. The rule that decided is last. */
  readonly rules: readonly string[];
}

/** The one session that all senders share under `session.scope: global`. It belongs to no agent. */
const GLOBAL_SESSION_KEY = 'global';

/** Longer keys are refused, because no person chose such a name. */
const MAX_KEY_LENGTH = 512;

export function resolveRoute(settings: RoutingSettings, inbound: Inbound): Route {
  const asked = askedSessionKey(settings, inbound);
  if (asked !== undefined) return asked;
  const agent = resolveAgentOf(settings, inbound);
  const session = resolveSession(settings, inbound, agent.agentId);
  return { agentId: agent.agentId, ...session, rules: [...agent.rules, ...session.rules] };
}

/** A terminal or an API client may name the session that it wants. */
function askedSessionKey(settings: RoutingSettings, inbound: Inbound): Route | undefined {
  const { sessionKey: requestKey } = inbound;
  if (requestKey === undefined || requestKey.trim() === '') return undefined;
  if (requestKey.length > MAX_KEY_LENGTH) {
    throw new InvalidSessionKeyError({
      sessionKey: requestKey.slice(0, 40),
      problem: `it is longer than ${MAX_KEY_LENGTH} characters`,
    });
  }
  if (/[\p{Cc}\p{Cs}]/u.test(requestKey))
    throw new InvalidSessionKeyError({ sessionKey: requestKey, problem: 'it holds control characters' });
  const asked = `The message asks for the session ${normalizeSessionKey(requestKey)} by its key, which goes before everything else.`;
  if (settings.scope === 'global' && normalizeSessionKey(requestKey) === GLOBAL_SESSION_KEY) {
    const agent = resolveAgentOf(settings, inbound);
    return { agentId: agent.agentId, sessionKey: GLOBAL_SESSION_KEY, rules: [...agent.rules, asked] };
  }
  if (parseAgentSessionKey(requestKey) === undefined && /^\s*agent:/i.test(requestKey)) {
    throw new InvalidSessionKeyError({
      sessionKey: requestKey,
      problem: 'it names no agent and session, as agent:main:main does',
    });
  }
  const owner = parseAgentSessionKey(requestKey)?.agentId;
  if (owner !== undefined) {
    const agentId = knownAgent(settings, owner);
    const sessionKey = toAgentStoreSessionKey({ agentId, requestKey, mainKey: settings.mainKey });
    return { agentId, sessionKey, rules: [`${asked} The key names the agent ${agentId}.`] };
  }
  const { agentId, rules } = resolveAgentOf(settings, inbound);
  const sessionKey = toAgentStoreSessionKey({ agentId, requestKey, mainKey: settings.mainKey });
  return { agentId, sessionKey, rules: [...rules, asked] };
}

interface ResolvedAgent {
  readonly agentId: string;
  readonly rules: readonly string[];
}

function resolveAgentOf(settings: RoutingSettings, inbound: Inbound): ResolvedAgent {
  const { agentId } = inbound;
  if (agentId === undefined || agentId.trim() === '') return resolveBoundAgent(settings, inbound);
  const known = knownAgent(settings, normalizeAgentId(agentId));
  return { agentId: known, rules: [`The message asks for the agent ${known}, which goes before every binding.`] };
}

function knownAgent({ agentIds }: RoutingSettings, agentId: string): string {
  if (agentIds.includes(agentId)) return agentId;
  throw new UnknownAgentError({ agentId, known: agentIds, suggestion: nearMatch(agentId, agentIds) });
}

/** The most specific binding wins; among equal ones, the first in the configuration. */
function resolveBoundAgent(settings: RoutingSettings, { surface, space }: Inbound): ResolvedAgent {
  const { defaultAgentId } = settings;
  const channel = nameOf(surface.channel);
  const accountId = normalizeAccountId(surface.accountId);
  const ofChannel = settings.bindings.filter((binding) => binding.channel === channel);
  if (ofChannel.length === 0) {
    const why = `No binding names the channel ${channel}, so the default agent ${defaultAgentId} answers.`;
    return { agentId: defaultAgentId, rules: [why] };
  }
  const rules = ofChannel.filter((binding) => !isFromSpace(binding, space)).map(passedOver);
  const candidates = ofChannel.filter(
    (binding) => isFromSpace(binding, space) && [accountId, '*'].includes(binding.accountId),
  );
  for (const { describe, applies } of tiers({ ...surface, channel, accountId }, space)) {
    const binding = candidates.find(applies);
    if (binding) return choose(settings, binding, [...rules, `Binding ${binding.position} names ${describe}`]);
    rules.push(`No binding names ${describe}.`);
  }
  rules.push(`So the default agent ${defaultAgentId} answers.`);
  return { agentId: defaultAgentId, rules };
}

/** Every condition of a binding must hold, at whatever tier it stands. */
function isFromSpace({ space, roles }: Binding, from: Space | undefined): boolean {
  if (space && space.id !== from?.id.trim()) return false;
  return roles.length === 0 || roles.some((role) => from?.senderRoles?.includes(role));
}

interface Tier {
  readonly describe: string;
  readonly applies: (binding: Binding) => boolean;
}

/** The tiers in the order in which they are asked; those that this message cannot reach are left out. */
function tiers({ channel, accountId, peer, threadId }: Surface, space: Space | undefined): readonly Tier[] {
  const place = `the ${peer.kind} ${peer.id.trim()} on ${channel}`;
  const thread = threadId?.trim() ?? '';
  const ofThread: Tier = {
    describe: `the thread ${thread} of ${place}`,
    applies: ({ peer: bound }) => bound !== undefined && isThread(bound, peer, thread),
  };
  const ofSpace: readonly Tier[] = [
    {
      describe: `the server ${space?.id} and a role of the sender`,
      applies: ({ peer: bound, roles }) => !bound && roles.length > 0,
    },
    { describe: `the server ${space?.id}`, applies: ({ peer: bound, space: of }) => !bound && of?.kind === 'guild' },
    { describe: `the team ${space?.id}`, applies: ({ peer: bound, space: of }) => !bound && of?.kind === 'team' },
  ];
  return [
    ...(thread === '' ? [] : [ofThread]),
    { describe: place, applies: ({ peer: bound }) => bound !== undefined && isSamePeer(bound, peer) },
    ...(space ? ofSpace : []),
    {
      describe: `the account ${accountId} of ${channel}`,
      applies: (binding) => isForWholeAccount(binding) && binding.accountId !== '*',
    },
    {
      describe: `every account of ${channel}`,
      applies: (binding) => isForWholeAccount(binding) && binding.accountId === '*',
    },
  ];
}

function isForWholeAccount({ peer, space, roles }: Binding): boolean {
  return peer === undefined && space === undefined && roles.length === 0;
}

/** People write a thread by its own id, or a topic as `<group>:topic:<id>`. */
function isThread(bound: Peer, peer: Peer, thread: string): boolean {
  if (bound.kind === 'direct') return false;
  return [thread, `${peer.id.trim()}:topic:${thread}`].includes(bound.id.trim());
}

/** One platform calls a group what another calls a channel, so people write either word. */
function isSamePeer(bound: Peer, peer: Peer): boolean {
  return bound.id.trim() === peer.id.trim() && (bound.kind === 'direct') === (peer.kind === 'direct');
}

function choose(settings: RoutingSettings, { agentId }: Binding, rules: readonly string[]): ResolvedAgent {
  const before = rules.slice(0, -1);
  const found = rules.at(-1) ?? '';
  if (settings.agentIds.includes(agentId)) {
    return { agentId, rules: [...before, `${found}, so the agent ${agentId} answers.`] };
  }
  const instead = settings.defaultAgentId;
  const why = `${found} for the agent ${agentId}, which does not exist, so the default agent ${instead} answers.`;
  return { agentId: instead, rules: [...before, why] };
}

function passedOver({ position, agentId, space, roles }: Binding): string {
  const server = space && `the ${space.kind === 'guild' ? 'server' : 'team'} ${space.id}`;
  const role = roles.length === 0 ? undefined : `a sender with the role ${roles.join(' or ')}`;
  const asked = [server, role].filter((each) => each !== undefined).join(' and ');
  return `Binding ${position} (to ${agentId}) does not apply: it asks for ${asked}.`;
}

interface ResolvedSession {
  readonly sessionKey: string;
  readonly parentSessionKey?: string | undefined;
  readonly rules: readonly string[];
}

function resolveSession(settings: RoutingSettings, inbound: Inbound, agentId: string): ResolvedSession {
  const { surface, sender } = inbound;
  const { kind } = surface.peer;
  const peerId = surface.peer.id.trim() || (kind === 'direct' ? sender.id : '');
  if (kind === 'direct' && settings.scope === 'global') {
    const why = 'session.scope is "global", so all direct messages share one session.';
    return { sessionKey: GLOBAL_SESSION_KEY, rules: [why] };
  }
  const { dmScope, mainKey, identityLinks } = settings;
  const peer: AgentPeer = {
    agentId,
    channel: surface.channel,
    accountId: surface.accountId,
    peerKind: kind,
    peerId,
    dmScope,
    mainKey,
  };
  const baseSessionKey = buildAgentPeerSessionKey({ ...peer, identityLinks });
  const isLinked = baseSessionKey !== buildAgentPeerSessionKey(peer);
  const rules = [
    ...(isLinked ? [`session.identityLinks knows ${peerId} on ${nameOf(surface.channel)} by another name.`] : []),
    kind === 'direct' ? DIRECT_RULES[dmScope] : `Every ${kind} has a session of its own.`,
  ];
  const keys = resolveThreadSessionKeys({
    baseSessionKey: threadBase(peer, surface.threadId) ?? baseSessionKey,
    threadId: surface.threadId,
    parentSessionKey: baseSessionKey,
    useSuffix: threadBase(peer, surface.threadId) === undefined,
  });
  if (keys.parentSessionKey === undefined) return { ...keys, rules };
  return {
    ...keys,
    rules: [...rules, 'Every thread has a session of its own, apart from the place that it hangs from.'],
  };
}

/** Platforms whose threads are written into the id of the peer, as OpenClaw writes them. Elsewhere a suffix is used. */
const THREADS_AS_PEERS: ReadonlyMap<string, (peerId: string, threadId: string) => string> = new Map([
  // A thread of Discord is a channel itself.
  ['discord', (_, threadId) => threadId],
  ['telegram', (peerId, threadId) => `${peerId}:topic:${threadId}`],
]);

/** The whole key of a thread on such a platform; undefined elsewhere, and for threads of direct conversations. */
function threadBase(peer: AgentPeer, threadId = ''): string | undefined {
  const write = THREADS_AS_PEERS.get(nameOf(peer.channel ?? ''));
  if (!write || peer.peerKind === 'direct' || threadId.trim() === '') return undefined;
  return buildAgentPeerSessionKey({ ...peer, peerId: write(peer.peerId ?? '', threadId.trim()) });
}

const DIRECT_RULES = {
  main: 'session.dmScope is "main", so all direct messages share the main session of the agent.',
  'per-peer': 'session.dmScope is "per-peer", so every sender has one session on all channels together.',
  'per-channel-peer':
    'session.dmScope is "per-channel-peer", so every sender has a session of their own on each channel.',
  'per-account-channel-peer':
    'session.dmScope is "per-account-channel-peer", so every sender has a session of their own on each account of each channel.',
} as const;

function nameOf(channel: string): string {
  return channel.trim().toLowerCase() || 'unknown';
}
