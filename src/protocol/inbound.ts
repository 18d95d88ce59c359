// A message on its way in, and the place it came from. Channels make these; nothing else knows a platform's own form.

import type { JsonObject } from './json.ts';

/** Whom a message was addressed to: one person, a closed group, or a public channel. */
export interface Peer {
  readonly kind: 'direct' | 'group' | 'channel';
  readonly id: string;
}

/** The place on a platform where people see the talk. Answers go back to it. */
export interface Surface {
  readonly channel: string;
  readonly accountId: string;
  readonly peer: Peer;
  readonly threadId?: string | undefined;
}

export interface Sender {
  readonly id: string;
  readonly name?: string | undefined;
  readonly username?: string | undefined;
}

export interface Inbound {
  readonly surface: Surface;
  readonly sender: Sender;
  readonly text: string;
  /** When the platform says that it was written, in milliseconds. */
  readonly at: number;
  /** The platform's name for this event. Two inbounds with the same one, per channel and account, are one message. */
  readonly eventId?: string | undefined;
  /** Together with the revision it takes the event id's place on platforms that have none. */
  readonly messageId?: string | undefined;
  readonly revision?: number | undefined;
  readonly replyToId?: string | undefined;
  readonly wasMentioned?: boolean | undefined;
  /** The session that the sender asked for by key, where a surface may choose: a terminal, an API client. */
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
  /** A client waits for the answer on its connection and will not come back for it, so that it ends with the process. */
  readonly isAwaited?: true | undefined;
  /** Set when an agent wrote it. Nothing in it is a command then, whatever it looks like. */
  readonly fromAgent?: AgentOrigin | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** The tool call that a message of an agent comes from. */
export interface AgentOrigin {
  readonly runId: string;
  /** Tells the call from every other one of its run. */
  readonly call: string;
  /** The keys of the sessions that passed the matter on, the sending one last. */
  readonly path: readonly string[];
}

/** The key under which a repeated delivery of the same message is recognised; undefined when the platform names none. */
export function dedupeKeyOf(inbound: Inbound): string | undefined {
  const { surface, eventId, messageId, revision, fromAgent } = inbound;
  // Without the surface: where a session is may change between a call and its repetition.
  if (fromAgent) return dedupeKeyOfCall(fromAgent);
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

/** Two surfaces with the same text form are the same place. */
export function surfaceId({ channel, accountId, peer, threadId }: Surface): string {
  return JSON.stringify(
    threadId === undefined
      ? [channel, accountId, peer.kind, peer.id]
      : [channel, accountId, peer.kind, peer.id, threadId],
  );
}
