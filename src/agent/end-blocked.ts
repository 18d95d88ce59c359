// Ends a run that a gate has blocked. Of what was said nothing is kept: the trigger's payload is scrubbed in the same
// commit, and the transcript holds only what the person was told instead.

import type { Write } from '../store/store.ts';
import { answerOf, replyOf } from './end-finished.ts';
import { endRun } from './end-run.ts';
import type { BlockedRun } from './gate-run.ts';
import type { Turn } from './open-turn.ts';
import type { RunParts } from './run-parts.ts';

export async function blockRun(parts: RunParts, turn: Turn, { by, text }: BlockedRun): Promise<void> {
  const { ledger } = turn;
  // Nobody waits for a heartbeat, and the conversation need not know of it.
  const isHeartbeat = turn.kind === 'heartbeat';
  const planned = isHeartbeat ? { rows: [], text } : await parts.delivery.plan(answerOf(turn, text));
  const meta = { blockedBy: by, blockedAt: new Date(parts.now()).toISOString() };
  await endRun(parts, turn, {
    site: 'block',
    status: 'blocked',
    outcome: { ...replyOf(planned), error: `Blocked by ${by}.`, errorCode: 'ATRIUM_RUN_BLOCKED' },
    writes: [
      isHeartbeat
        ? ledger.notice({ role: 'user', content: text }, text, meta)
        : ledger.entry({ role: 'user', content: text }, { shown: text, meta }),
      ...planned.rows.map((row): Write => ({ insert: 'outbox', row })),
    ],
    trigger: { payload: null },
  });
}
