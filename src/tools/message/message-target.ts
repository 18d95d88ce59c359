// The conversation that a call of the message tool names. A target that is left out is the conversation of the session
// itself. What is unknown is refused with what exists, so that the model can call again.

import type { Peer, Surface } from '../../protocol/inbound.ts';
import { clip } from '../../protocol/one-line.ts';
import { isSubagentSessionKey } from '../../protocol/session-key.ts';
import {
  MessageAccountUnknownError,
  MessageActionUnknownError,
  MessageChannelMissingError,
  MessageChannelUnknownError,
  MessageTargetMissingError,
  MessageTargetUnknownError,
  MessageThreadsMissingError,
  ToolInputError,
} from '../errors.ts';
import type { ToolContext } from '../tool.ts';
import type { MessageAction, MessageChannel, MessagePort } from './message-port.ts';

export interface NamedTarget {
  readonly channel?: string | undefined;
  readonly accountId?: string | undefined;
  readonly target?: string | undefined;
  readonly threadId?: string | undefined;
}

/** The conversation of the session that calls; undefined where the session has none that people read. */
export function ownSurface(port: MessagePort, { sessionKey, surface }: ToolContext): Surface | undefined {
  // A child speaks through its parent, so the place that it was given is not its own.
  if (isSubagentSessionKey(sessionKey)) return undefined;
  return port.channels().some(({ id }) => id === surface.channel) ? surface : undefined;
}

export interface FoundTarget {
  readonly channel: MessageChannel;
  readonly surface: Surface;
}

export async function findTarget(
  port: MessagePort,
  context: ToolContext,
  action: MessageAction,
  named: NamedTarget,
  /** Throws when the session may not reach the conversation. Only a session that may is told what is there. */
  checkReach: (surface: Surface) => void,
): Promise<FoundTarget> {
  const own = ownSurface(port, context);
  const { channel, surface } = resolve(port, own, context.surface, named);
  if (!channel.actions.includes(action)) {
    throw new MessageActionUnknownError({ action, channel: channel.id, actions: channel.actions });
  }
  if (named.threadId !== undefined && named.threadId !== own?.threadId && !channel.actions.includes('thread-reply')) {
    throw new MessageThreadsMissingError({ channel: channel.id });
  }
  checkReach(surface);
  const isOwn = own !== undefined && named.target === undefined && named.accountId === undefined;
  if (!isOwn && !(await port.isKnown(surface, context.signal))) {
    const peers = await port.listPeers(surface, context.signal);
    const usual = accountOf(channel, context.surface);
    // A channel that does not say which accounts it has is taken to have those in which somebody has written.
    if (peers.length === 0 && surface.accountId !== usual) {
      throw new MessageAccountUnknownError({
        accountId: clip(surface.accountId, 80),
        channel: channel.id,
        accounts: [usual],
      });
    }
    const known = peers.map((peer) => `${peer.kind}:${peer.id}`);
    throw new MessageTargetUnknownError({ target: formatPeer(surface.peer), channel: channel.id, known });
  }
  return { channel, surface };
}

/** The account that is meant where none is named. */
function accountOf({ id, accounts }: MessageChannel, given: Surface): string {
  return given.channel === id ? given.accountId : (accounts?.[0] ?? 'default');
}

function resolve(
  port: MessagePort,
  own: Surface | undefined,
  /** The place that the session was given. It says which channel is meant, also where it is not the session's own. */
  given: Surface,
  { channel, accountId, target, threadId }: NamedTarget,
): FoundTarget {
  const channels = port.channels();
  const parsed = target === undefined ? undefined : parseTarget(target);
  const near = channels.some((each) => each.id === given.channel) ? given : undefined;
  const id = channel ?? parsed?.channel ?? near?.channel;
  if (id === undefined && parsed !== undefined) {
    throw new MessageChannelMissingError({ channels: channels.map((each) => each.id) });
  }
  if (id === undefined || (parsed === undefined && (own === undefined || id !== own.channel))) {
    throw new MessageTargetMissingError({ channels: channels.map((each) => each.id) });
  }
  const found = channels.find((each) => each.id === id);
  if (!found) {
    throw new MessageChannelUnknownError({ channel: clip(id, 80), channels: channels.map((each) => each.id) });
  }
  const account = accountId ?? accountOf(found, given);
  if (found.accounts && !found.accounts.includes(account)) {
    throw new MessageAccountUnknownError({ accountId: clip(account, 80), channel: id, accounts: found.accounts });
  }
  if (parsed) return { channel: found, surface: placeOf(id, account, parsed.peer, threadId) };
  const here = own as Surface;
  return { channel: found, surface: placeOf(id, account, here.peer, threadId ?? here.threadId) };
}

function placeOf(channel: string, accountId: string, peer: Peer, threadId: string | undefined): Surface {
  const place = { channel, accountId, peer };
  return threadId === undefined ? place : { ...place, threadId };
}

const TARGET = /^(?:([a-z][a-z0-9-]{0,31}):)?(direct|user|dm|group|channel):(\S.{0,199})$/i;

function parseTarget(target: string): { readonly channel: string | undefined; readonly peer: Peer } {
  const [, channel, word = '', id = ''] = TARGET.exec(target.trim()) ?? [];
  if (id === '') {
    const problem = `"target" is a person, a group or a channel: "direct:ID", "group:ID" or "channel:ID".`;
    throw new ToolInputError({ tool: 'message', problems: [problem] });
  }
  const kind = word.toLowerCase();
  return { channel, peer: { kind: kind === 'group' || kind === 'channel' ? kind : 'direct', id } };
}

/** The words by which a model names the conversation in a later call. */
export function describeTarget({ channel, accountId, peer, threadId }: Surface): {
  readonly channel: string;
  readonly accountId?: string;
  readonly target: string;
  readonly threadId?: string;
} {
  return {
    channel,
    ...(accountId === 'default' ? {} : { accountId }),
    target: formatPeer(peer),
    ...(threadId === undefined ? {} : { threadId }),
  };
}

function formatPeer({ kind, id }: Peer): string {
  return clip(`${kind}:${id}`, 240);
}
