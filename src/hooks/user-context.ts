// What is known about a message besides its text, in blocks: the sender, the place, and the message that it answers.
// Channels give the text without any of this around it, so that handlers and agents never need to parse an envelope.

import type { Inbound } from '../protocol/inbound.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { UserContextBlock } from './message-hooks.ts';

export function userContextOf({ surface, sender, replyToId }: Inbound): readonly UserContextBlock[] {
  const { channel: source, accountId, peer, threadId } = surface;
  const { id, name, username } = sender;
  return [
    { label: 'Sender', source, type: 'sender', payload: known({ id, name, username }) },
    {
      label: 'Conversation',
      source,
      type: 'conversation',
      payload: known({ id: peer.id, kind: peer.kind, accountId, threadId }),
    },
    ...(replyToId === undefined
      ? []
      : [{ label: 'Reply', source, type: 'reply', payload: { messageId: replyToId } } as const]),
  ];
}

function known(fields: Readonly<Record<string, string | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
