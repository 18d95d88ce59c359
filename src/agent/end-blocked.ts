// Ends a run that a gate has blocked. The blocked words are not kept: the trigger's payload is removed in the same
// commit, and the transcript holds only what the person was told instead. Files that came with them are removed too.

import type { Write } from '../store/store.ts';
import { planAnswer, replyOf } from './end-finished.ts';
import { endRun } from './end-run.ts';
import type { BlockedRun } from './gate-run.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';

export async function blockRun(parts: RunParts, run: OpenRun, { by, text }: BlockedRun): Promise<void> {
  const { ledger } = run;
  // No person waits for a heartbeat, so nothing is sent and the conversation does not mention it.
  const isHeartbeat = run.kind === 'heartbeat';
  const planned = isHeartbeat ? { rows: [], text } : await planAnswer(parts, run, text);
  const files = await parts.store.select('attachments', { where: { runId: run.runId } });
  const meta = { blockedBy: by, blockedAt: new Date(parts.now()).toISOString() };
  await endRun(parts, run, {
    site: 'block',
    status: 'blocked',
    outcome: { ...replyOf(planned), error: `Blocked by ${by}.`, errorCode: 'ATRIUM_RUN_BLOCKED' },
    writes: [
      isHeartbeat
        ? ledger.notice({ role: 'user', content: text }, text, meta)
        : ledger.entry({ role: 'user', content: text }, { shown: text, meta }),
      ...planned.rows.map((row): Write => ({ insert: 'outbox', row })),
      { remove: 'attachments', where: { runId: run.runId } },
    ],
    trigger: { payload: null },
  });
  await parts.attachments.forget(files);
}
