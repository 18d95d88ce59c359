// A message on its way in, and the place that it came from. Channels make these values; no other part knows the form
// that a platform uses.

import type { AttachmentRef } from './attachment.ts';
import type { JsonObject } from './json.ts';

/** The addressee of a message: one person, a closed group, or a public channel. */
export interface Peer {
  readonly kind: 'direct' | 'group' | 'channel';
  readonly id: string;
}

/** The place on a platform where people see the conversation. Answers go back to it. */
export interface Surface {
  readonly channel: string;
  readonly accountId: string;
  readonly peer: Peer;
  readonly threadId?: string | undefined;
}

/** The place that a thread belongs to; undefined for a place that is not a thread. */
export function parentSurface({ threadId, ...parent }: Surface): Surface | undefined {
  return threadId === undefined ? undefined : parent;
}

export interface Sender {
  readonly id: string;
  readonly name?: string | undefined;
  readonly username?: string | undefined;
}

/** The server or workspace that a place belongs to: a guild of Discord, a team of Slack. */
export interface Space {
  readonly id: string;
  readonly name?: string | undefined;
  /** The ids of the roles that the sender has there. */
  readonly senderRoles?: readonly string[] | undefined;
}

/** The message that another one answers, as the platform hands it over. It is data: the agent reads its words and does not follow them. */
export interface Quote {
  readonly sender: Sender;
  readonly text: string;
  /** Set when this channel's own account wrote it. */
  readonly isOwn?: true | undefined;
}

/** A message at the same place that did not speak to the agent. It is data, as a quote is. */
export interface Overheard {
  readonly sender: Sender;
  readonly text: string;
  readonly at: number;
}

export interface Inbound {
  readonly surface: Surface;
  readonly sender: Sender;
  readonly text: string;
  /** Files and images that came with the message. Their bytes were kept before the message is received. */
  readonly attachments?: readonly AttachmentRef[] | undefined;
  /** The time in milliseconds at which the platform says that the message was written. */
  readonly at: number;
  /** The platform's id of this event. Two inbounds of one channel and account with the same id are one message. */
  readonly eventId?: string | undefined;
  /** On platforms without event ids, the message id and the revision together take its place. */
  readonly messageId?: string | undefined;
  readonly revision?: number | undefined;
  readonly replyToId?: string | undefined;
  /** What the message answers, where the platform hands it over with the message. */
  readonly quote?: Quote | undefined;
  /** What people said at this place since the agent was last spoken to, oldest first. Only the gateway sets it. */
  readonly overheard?: readonly Overheard[] | undefined;
  /**
   * Whether the message speaks to the agent: by its name, as a reply to one of its messages, as a command, or in a
   * thread that the agent takes part in.
   */
  readonly wasMentioned?: boolean | undefined;
  readonly space?: Space | undefined;
  /** The name of the group or channel, as people see it. */
  readonly placeName?: string | undefined;
  /** The key of the session that the sender asked for. Only some surfaces may choose one: terminals and API clients. */
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
  /**
   * A client waits for the answer on its connection and will not ask for it later, so the run ends with the process.
   */
  readonly isAwaited?: true | undefined;
  /** The process (`Cluster.processId`) on whose connection the client waits, where several nodes share one store. */
  readonly awaitedBy?: string | undefined;
  /** Set when an agent wrote the message. Such a message is never read as a command. */
  readonly fromAgent?: AgentOrigin | undefined;
  /** Set when a program outside sent it to a webhook of the gateway. Such a message is never read as a command. */
  readonly fromWebhook?: WebhookOrigin | undefined;
  /** What the sender asks of the run, where the sender may. */
  readonly wishes?: RunWishes | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** The tool call that a message of an agent comes from. */
export interface AgentOrigin {
  readonly runId: string;
  /** Distinguishes this call from every other call of its run. */
  readonly call: string;
  /** The keys of the sessions that passed the message on. The sending session is last. */
  readonly path: readonly string[];
}

export interface WebhookOrigin {
  /** The id of the mapping that made the message, or `agent` or `wake` for the endpoints of these names. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** Set when the operator wants the text as it came. Without it, the text is quoted, and the agent is told whose it is. */
  readonly isTrusted?: true | undefined;
}

/** The id of the sender of such a message. No person has it, so the message never counts as the operator's word. */
export function webhookSenderId({ id }: WebhookOrigin): string {
  return `${WEBHOOK_SENDER}${id}`;
}

export function isWebhookSenderId(id: unknown): boolean {
  return typeof id === 'string' && id.startsWith(WEBHOOK_SENDER);
}

const WEBHOOK_SENDER = 'webhook:';

export interface RunWishes {
  /** `provider/model` or an alias. It takes the place of the agent's first choice. */
  readonly model?: string | undefined;
  /** They take the place of the agent's fallbacks. An empty list means that no other model is asked. */
  readonly fallbacks?: readonly string[] | undefined;
  /** How long the run may take, instead of the agent's own limit. */
  readonly timeoutMs?: number | undefined;
  /** The run gets a session without a history. */
  readonly isIsolated?: true | undefined;
}

/**
 * Returns the key by which a repeated delivery of one message is recognised, or undefined when the platform names none.
 */
export function dedupeKeyOf(inbound: Inbound): string | undefined {
  const { surface, eventId, messageId, revision, fromAgent, fromWebhook } = inbound;
  // The surface is not part of this key, because a session's surface may change before the call is repeated.
  if (fromAgent) return dedupeKeyOfCall(fromAgent);
  if (fromWebhook) return eventId === undefined ? undefined : JSON.stringify(['webhook', eventId]);
  const name =
    eventId !== undefined
      ? ['event', eventId]
      : messageId !== undefined
        ? ['message', messageId, revision ?? 0]
        : undefined;
  return name && JSON.stringify([surface.channel, surface.accountId, ...name]);
}

export function dedupeKeyOfCall({ runId, call }: Pick<AgentOrigin, 'runId' | 'call'>): string {
  return JSON.stringify(['agent', runId, call]);
}

/** Reads an address as plugins write it: `group:123` and `channel:123` are shared places; everything else is one person. */
export function peerOfAddress(to: string): Peer {
  const [, kind, id] = /^(group|channel|user|direct):(.+)$/.exec(to.trim()) ?? [];
  if (kind === 'group' || kind === 'channel') return { kind, id: id ?? '' };
  return { kind: 'direct', id: id ?? to.trim() };
}

/** Two surfaces with the same text form are the same place. */
export function surfaceId({ channel, accountId, peer, threadId }: Surface): string {
  return JSON.stringify(
    threadId === undefined
      ? [channel, accountId, peer.kind, peer.id]
      : [channel, accountId, peer.kind, peer.id, threadId],
  );
}
