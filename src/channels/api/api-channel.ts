// Answers to API clients. A client receives the answer from the store, now or when it asks again with the same key. So an
// answer is delivered by the commit that stores it; `send` is left for rows that an older version has queued.

import type { Channel, OutboundPart, SendOutcome } from '../channel.ts';

export const API_CHANNEL = 'api';

export function createApiChannel(): Channel {
  return {
    id: API_CHANNEL,
    guarantee: {
      level: 'exactly-once',
      because:
        'the answer is kept with its run, and a client that asks again with the same Idempotency-Key gets that one',
    },
    maxTextLength: Number.MAX_SAFE_INTEGER,
    open: async () => {},
    send: async ({ seq }: OutboundPart): Promise<SendOutcome> => ({ outcome: 'sent', receipt: { mailbox: seq } }),
    close: async () => {},
  };
}
