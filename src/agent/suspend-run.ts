// A run that waits for a person releases its slot and keeps its place: its question is stored, its surface is told, and
// its lane stays closed until an answer is in the inbox. A restart changes nothing about it.

import { RunStoppedError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { AssistantMessage } from '../protocol/message.ts';
import { newId } from '../protocol/new-id.ts';
import type { NewRow, Write } from '../store/store.ts';
import { answerOf } from './end-finished.ts';
import { formatApproval } from './format-approval.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';

/** The calls of `message` wait for a person, and none of them has started. A run gives this instead of an answer. */
export interface Suspension {
  readonly kind: 'suspension';
  readonly message: AssistantMessage;
  /** The approvals that were not requested before. */
  readonly approvals: readonly NewRow<'approvals'>[];
  /** Ids of approvals that are void because the call has changed since. */
  readonly voids: readonly string[];
  /** True when an earlier attempt has stored the message. */
  readonly isKept: boolean;
}

export async function suspendRun(parts: RunParts, run: OpenRun, suspension: Suspension): Promise<void> {
  const { runId, sessionKey, ledger } = run;
  const { approvals, voids, message, isKept } = suspension;
  const notices = await Promise.all(
    approvals.map((approval) =>
      // The question is a message of its own, so that the parts of the answer are numbered as if it had not been asked.
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
  // The caller that stopped the run while it was being suspended was told that it stopped, and nothing else would wake
  // the run.
  if (run.signal.reason instanceof RunStoppedError) throw run.signal.reason;
  tellVoid(parts, run, voids);
  for (const { id: approvalId, toolName, title, description, severity, allowedDecisions, expiresAt } of approvals) {
    const approval = { approvalId, toolName, title, description, severity, allowedDecisions, expiresAt };
    void parts.tell('approval-asked', { runId, sessionKey, approval });
  }
  parts.delivery.wake();
}

/** These approvals do not count any more, answered or not, because the calls have changed. */
function voidWrites(ids: readonly string[]): readonly Write[] {
  return ids.map((id) => ({ update: 'approvals', where: { id }, set: { status: 'void' } }));
}

export function tellVoid(parts: RunParts, { runId, sessionKey }: OpenRun, ids: readonly string[]): void {
  const by = 'what it asks has changed';
  for (const approvalId of ids)
    void parts.tell('approval-answered', { runId, sessionKey, approvalId, decision: 'void', by });
}
