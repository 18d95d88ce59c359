// Whose message a run answers, as far as it matters for what the run may do: a person on a channel, or what acts in their
// place.

import type { Inbound } from './inbound.ts';

export interface Requester {
  readonly channel: string;
  readonly accountId: string;
  readonly senderId: string;
}

export function requesterOf({ surface, sender }: Inbound): Requester {
  return { channel: surface.channel, accountId: surface.accountId, senderId: sender.id };
}
