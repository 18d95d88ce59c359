// Who the operator is: every client of the channels that need the gateway's token, and the people whom the configuration
// names as owners, in their own direct conversation.

import type { Inbound } from './inbound.ts';

const OPERATOR_CHANNELS: ReadonlySet<string> = new Set(['web', 'cli', 'api']);

/** Only the operator can reach these channels. */
export function isOperatorChannel(channel: string): boolean {
  return OPERATOR_CHANNELS.has(channel);
}

/** `owners` are written as `channel:sender`, in lower case. In a shared place they are not the operator. */
export function isOperator(
  { surface, sender }: Pick<Inbound, 'surface' | 'sender'>,
  owners: readonly string[],
): boolean {
  if (isOperatorChannel(surface.channel)) return true;
  return surface.peer.kind === 'direct' && isOwner(owners, surface.channel, sender.id);
}

export function isOwner(owners: readonly string[], channel: string, senderId: string): boolean {
  return owners.includes(`${channel}:${senderId}`.toLowerCase());
}
