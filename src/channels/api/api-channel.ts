// Answers to API clients. A client receives the outbox row itself, now or when it asks again with the same key, so
// `send` has nothing to do and only reports success.

import type { Channel, OutboundPart, SendOutcome } from '../channel.ts';

export function createApiChannel(): Channel {
  return {
    id: 'api',
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
