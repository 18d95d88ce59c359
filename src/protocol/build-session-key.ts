// Writes session keys: it decides to which key a message, a thread or an event belongs. Ids are normalised first, so
// two spellings of one place share one session. `session-key.ts` explains the grammar and reads these keys.

import { normalizeAccountId, normalizeAgentId } from './agent-id.ts';
import { isCronRunSessionKey, normalizeSessionKey, parseAgentSessionKey } from './session-key.ts';

type Text = string | undefined | null;

const DEFAULT_MAIN_KEY = 'main';

/** How far direct messages are kept apart: not at all, by person, by person and platform, or by account as well. */
export type DmScope = 'main' | 'per-peer' | 'per-channel-peer' | 'per-account-channel-peer';

/** `global` puts every sender into one session. */
export type SessionScope = 'per-sender' | 'global';

/** A person's canonical name and the addresses (`<peer>` or `<channel>:<peer>`) under which that person writes. */
export type IdentityLinks = Readonly<Record<string, readonly string[]>>;

export interface AgentPeer {
  readonly agentId: string;
  readonly channel?: Text;
  readonly accountId?: Text;
  readonly peerKind?: 'direct' | 'group' | 'channel' | null | undefined;
  readonly peerId?: Text;
  readonly dmScope?: DmScope | undefined;
  readonly identityLinks?: IdentityLinks | undefined;
  readonly mainKey?: Text;
}

export function buildAgentPeerSessionKey(peer: AgentPeer): string {
  const agent = `agent:${normalizeAgentId(peer.agentId)}`;
  const channel = lowered(peer.channel) || 'unknown';
  const kind = peer.peerKind ?? 'direct';
  if (kind !== 'direct') return `${agent}:${channel}:${kind}:${conversationId(channel, kind, peer.peerId)}`;

  const person = lowered(linkedIdentity(peer) ?? peer.peerId);
  if (person !== '' && peer.dmScope === 'per-peer') return `${agent}:direct:${person}`;
  if (person !== '' && peer.dmScope === 'per-channel-peer') return `${agent}:${channel}:direct:${person}`;
  if (person !== '' && peer.dmScope === 'per-account-channel-peer') {
    return `${agent}:${channel}:${normalizeAccountId(peer.accountId)}:direct:${person}`;
  }
  return buildAgentMainSessionKey(peer);
}

export function buildAgentMainSessionKey(main: { readonly agentId?: Text; readonly mainKey?: Text }): string {
  return `agent:${normalizeAgentId(main.agentId)}:${lowered(main.mainKey) || DEFAULT_MAIN_KEY}`;
}

/** A scheduled job's own session. */
export function buildCronSessionKey(job: { readonly agentId: string; readonly jobId: string }): string {
  return `agent:${normalizeAgentId(job.agentId)}:cron:${lowered(job.jobId)}`;
}

/** Returns the stored key for the key that a request names. A request may name another agent's key in full. */
export function toAgentStoreSessionKey(request: {
  readonly agentId: string;
  readonly requestKey?: Text;
  readonly mainKey?: Text;
}): string {
  const key = normalizeSessionKey(request.requestKey);
  if (key === '' || key === DEFAULT_MAIN_KEY) return buildAgentMainSessionKey(request);
  const parsed = parseAgentSessionKey(key);
  if (parsed) return `agent:${parsed.agentId}:${parsed.rest}`;
  return key.startsWith('agent:') ? key : `agent:${normalizeAgentId(request.agentId)}:${key}`;
}

export interface Thread {
  readonly baseSessionKey: string;
  readonly threadId?: Text;
  readonly parentSessionKey?: string | undefined;
  /** False where the platform's thread id already is the channel id of the base key. */
  readonly useSuffix?: boolean | undefined;
  /** Used for platforms whose thread ids differ only by case. */
  readonly normalizeThreadId?: ((threadId: string) => string) | undefined;
}

/** Without a thread id there is no thread, and so there is no parent either. */
export function resolveThreadSessionKeys(thread: Thread): { sessionKey: string; parentSessionKey?: string } {
  const { baseSessionKey, parentSessionKey, useSuffix = true, normalizeThreadId = lowered } = thread;
  const threadId = (thread.threadId ?? '').trim();
  if (threadId === '') return { sessionKey: baseSessionKey };
  const sessionKey = useSuffix ? `${baseSessionKey}:thread:${normalizeThreadId(threadId)}` : baseSessionKey;
  return parentSessionKey === undefined ? { sessionKey } : { sessionKey, parentSessionKey };
}

/** The key of a group's shared history; it names no agent because all agents of an account read the same one. */
export function buildGroupHistoryKey(group: {
  readonly channel: Text;
  readonly accountId?: Text;
  readonly peerKind: 'group' | 'channel';
  readonly peerId: Text;
}): string {
  const channel = lowered(group.channel) || 'unknown';
  const peerId = conversationId(channel, group.peerKind, group.peerId);
  return `${channel}:${normalizeAccountId(group.accountId)}:${group.peerKind}:${peerId}`;
}

/**
 * Returns the session that gets a session's events. The session of a cron run ends with the run, so its events go to
 * the agent's main session.
 */
export function resolveEventSessionKey(sessionKey: string, mainKey?: Text, scope?: SessionScope): string {
  const parsed = parseAgentSessionKey(sessionKey);
  if (!parsed || !isCronRunSessionKey(sessionKey)) return sessionKey;
  return scope === 'global' ? 'global' : buildAgentMainSessionKey({ agentId: parsed.agentId, mainKey });
}

/**
 * Returns what a heartbeat wakes for a session's event: the session; or only the agent, when all senders share one
 * session; or no particular target, when the key names no agent.
 */
export function resolveWakeTarget(
  sessionKey: string,
  mainKey?: Text,
  scope?: SessionScope,
): { sessionKey?: string; agentId?: string } {
  const parsed = parseAgentSessionKey(sessionKey);
  if (!parsed) return {};
  if (scope === 'global' && isCronRunSessionKey(sessionKey)) return { agentId: parsed.agentId };
  return { sessionKey: resolveEventSessionKey(sessionKey, mainKey, scope) };
}

/** The case of Signal's group ids carries meaning; every other peer is written in lower case. */
function conversationId(channel: string, kind: 'group' | 'channel', peerId: Text): string {
  const id = (peerId ?? '').trim() || 'unknown';
  return channel === 'signal' && kind === 'group' ? id : id.toLowerCase();
}

function linkedIdentity(peer: AgentPeer): string | undefined {
  const id = lowered(peer.peerId);
  if (id === '') return undefined;
  const addresses = new Set([id, `${lowered(peer.channel)}:${id}`]);
  for (const [name, linked] of Object.entries(peer.identityLinks ?? {})) {
    // A person writes the links by hand, so a name without a list is ignored, and so is a list without a name.
    if (name.trim() === '' || !Array.isArray(linked)) continue;
    if (linked.some((address) => typeof address === 'string' && addresses.has(lowered(address)))) return name;
  }
  return undefined;
}

function lowered(text: Text): string {
  return (text ?? '').trim().toLowerCase();
}
