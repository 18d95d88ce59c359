// What servers that speak Anthropic's Messages nearly get wrong in the events of a stream, although it is clear what
// they mean: counts as texts, and a stream that ends behind its reason without `message_stop`.

import { type EventDialect, isLoose, mendUsage } from '../event-mender.ts';

export const MESSAGE_EVENTS: EventDialect = {
  mend(event) {
    if (!isLoose(event)) return false;
    if (event.type === 'message_start') return isLoose(event.message) && mendUsage(event.message);
    return event.type === 'message_delta' && mendUsage(event);
  },
  saysWhy: (event) =>
    isLoose(event) &&
    event.type === 'message_delta' &&
    isLoose(event.delta) &&
    typeof event.delta.stop_reason === 'string',
  isLast: (data) => /^\s*\{\s*"type"\s*:\s*"message_stop"/.test(data),
  end: { before: '', without: 'event: message_stop\ndata: {"type":"message_stop"}\n\n' },
};
