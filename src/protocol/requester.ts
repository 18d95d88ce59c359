// The sender of the message that a run answers, as far as it decides what the run may do: a person on a channel, or
// something that acts for a person.

import type { Inbound } from './inbound.ts';

export interface Requester {
  readonly channel: string;
  readonly accountId: string;
  readonly senderId: string;
}

export function requesterOf({ surface, sender }: Inbound): Requester {
  return { channel: surface.channel, accountId: surface.accountId, senderId: sender.id };
}
