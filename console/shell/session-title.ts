// How a conversation is called: as a person named it, else by what was said first.

import type { ListedSession } from '../client/gateway-client.ts';

export function titleOf({ title, firstWords }: Pick<ListedSession, 'title' | 'firstWords'>): string {
  return title || firstWords || 'Conversation';
}
