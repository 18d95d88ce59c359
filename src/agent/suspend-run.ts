// A run that waits for a person lets go of its slot and keeps its place: what it asks is stored, its surface is told, and
// its lane stays shut until an answer is in the inbox. A restart changes nothing about it.

import type { JsonObject } from '../protocol/json.ts';
import type { AssistantMessage } from '../protocol/message.ts';
import { newId } from '../protocol/new-id.ts';
import type { NewRow, Write } from '../store/store.ts';
import { answerOf } from './end-finished.ts';
import { formatApproval } from './format-approval.ts';
import type { Turn } from './open-turn.ts';
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

export async function suspendRun(parts: RunParts, turn: Turn, suspension: Suspension): Promise<void> {
  const { runId, sessionKey, ledger } = turn;
  const { approvals, voids, message, isKept } = suspension;
  const notices = await Promise.all(
    approvals.map((approval) =>
      // A message of its own, so that the parts of the answer are numbered as if nobody had been asked.
      parts.delivery.plan({ ...answerOf(turn, formatApproval(approval)), runId: newId('note', parts.now()) }),
    ),
  );
  await ledger.commit('suspend', [
    ...(isKept ? [] : [ledger.step('ask', { message: message as unknown as JsonObject })]),
    ...voids.map((id): Write => ({ update: 'approvals', where: { id }, set: { status: 'void' } })),
    ...approvals.map((row): Write => ({ insert: 'approvals', row })),
    ...notices.flat().map((row): Write => ({ insert: 'outbox', row })),
    { update: 'runs', where: { runId }, set: { status: 'suspended' } },
  ]);
  const at = parts.now();
  for (const { id: approvalId, toolName, title, description, severity, allowedDecisions, expiresAt } of approvals) {
    parts.emit({
      type: 'approval-start',
      runId,
      sessionKey,
      at,
      approvalId,
      toolName,
      title,
      description,
      severity,
      allowedDecisions,
      expiresAt,
    });
  }
  parts.delivery.wake();
}
