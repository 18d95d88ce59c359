// Each handler that is asked has an event to itself, and observers share one that is frozen. A long history is copied
// only for handlers that look at it.

import { frozenCopy, isolatedEvent } from '../../build/bench/parts.js';
import { inTurns, round } from './in-turns.mjs';
import { EVENT } from './subject.mjs';

export async function measureCopies() {
  const message = (index) => ({
    role: index % 2 ? 'assistant' : 'user',
    content: [{ type: 'text', text: `${index}` }],
  });
  const events = {
    small: EVENT,
    'a tool call': { toolName: 'write', params: { path: 'a.txt', text: 'Hello.', options: { mode: 'append' } } },
    '500 messages': { prompt: 'Hello.', messages: Array.from({ length: 500 }, (_, index) => message(index)) },
  };
  const rows = [];
  for (const [name, event] of Object.entries(events)) {
    const [floor, untouched, read, frozen] = await inTurns(
      [
        () => structuredClone(event),
        () => isolatedEvent(event),
        () => Object.values(isolatedEvent(event)),
        () => frozenCopy(event),
      ],
      { rounds: 100, warmUps: 20, batch: 20 },
    );
    rows.push({
      event: name,
      'structured clone': round(floor),
      'own, not looked at': round(untouched),
      'own, looked at': round(read),
      frozen: round(frozen),
    });
  }
  return rows;
}
