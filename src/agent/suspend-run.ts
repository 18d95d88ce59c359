// A run that waits for a person lets go of its slot and keeps its place: what it asks is stored, its surface is told, and
// its lane stays shut until an answer is in the inbox. A restart changes nothing about it.

import { RunStoppedError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { AssistantMessage } from '../protocol/message.ts';
import { newId } from '../protocol/new-id.ts';
import type { NewRow, Write } from '../store/store.ts';
import { answerOf } from './end-finished.ts';
import { formatApproval } from './format-approval.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';

/** Instead of an answer: the calls of `message` wait for a person, and none of them has begun. */
export interface Suspension {
  readonly kind: 'suspension';
  readonly message: AssistantMessage;
  /** Those that nobody was asked for yet. */
  readonly approvals: readonly NewRow<'approvals'>[];
  /** Answers to what has changed since. */
  readonly voids: readonly string[];
  /** True when an earlier attempt has written the message down. */
  readonly isKept: boolean;
}

export async function suspendRun(parts: RunParts, run: OpenRun, suspension: Suspension): Promise<void> {
  const { runId, sessionKey, ledger } = run;
  const { approvals, voids, message, isKept } = suspension;
  const notices = await Promise.all(
    approvals.map((approval) =>
      // A message of its own, so that the parts of the answer are numbered as if nobody had been asked.
      parts.delivery.plan({ ...answerOf(run, formatApproval(approval)), runId: newId('note', parts.now()) }),
    ),
  );
  run.signal.throwIfAborted();
  await ledger.commit('suspend', [
    ...(isKept ? [] : [ledger.step('ask', { message: message as unknown as JsonObject })]),
    ...voidWrites(voids),
    ...approvals.map((row): Write => ({ insert: 'approvals', row })),
    ...notices.flatMap(({ rows }) => rows.map((row): Write => ({ insert: 'outbox', row }))),
    { update: 'runs', where: { runId }, set: { status: 'suspended' } },
  ]);
  // Whoever stopped it while it lay down was told so, and nobody else would wake it for that.
  if (run.signal.reason instanceof RunStoppedError) throw run.signal.reason;
  tellVoid(parts, run, voids);
  for (const { id: approvalId, toolName, title, description, severity, allowedDecisions, expiresAt } of approvals) {
    const approval = { approvalId, toolName, title, description, severity, allowedDecisions, expiresAt };
    void parts.tell('approval-asked', { runId, sessionKey, approval });
  }
  parts.delivery.wake();
}

/** These count for nothing any more, answered or not: what they were asked for has changed. */
function voidWrites(ids: readonly string[]): readonly Write[] {
  return ids.map((id) => ({ update: 'approvals', where: { id }, set: { status: 'void' } }));
}

export function tellVoid(parts: RunParts, { runId, sessionKey }: OpenRun, ids: readonly string[]): void {
  const by = 'what it asks has changed';
  for (const approvalId of ids)
    void parts.tell('approval-answered', { runId, sessionKey, approvalId, decision: 'void', by });
}
