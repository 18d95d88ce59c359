// Whether a session ends because somebody wanted to start over. What plugins kept and queued for it then goes with it; a
// session that merely ran out of time hands it on to the next one.

import type { SessionEndReason } from './live-event.ts';

export function startsOver(reason: SessionEndReason | undefined): boolean {
  return reason === 'new' || reason === 'reset' || reason === 'deleted';
}
