// A run that waits releases its slot and keeps its place: what it waits for is stored, and its lane stays closed until a
// trigger of its own is in the inbox. It waits for a person, whose surface is told the question, or for other sessions. A
// restart changes nothing about it.

import { RunStoppedError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { AssistantMessage } from '../protocol/message.ts';
import { newId } from '../protocol/new-id.ts';
import type { NewRow, Write } from '../store/store.ts';
import { answerOf } from './end-finished.ts';
import { approvalButtons, formatApproval } from './format-approval.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';
import type { WaitingCall } from './seek-waits.ts';

/** A run gives this instead of an answer. */
export type Suspension = ApprovalSuspension | WaitSuspension;

/** The calls of `message` wait for a person, and none of them has started. */
export interface ApprovalSuspension {
  readonly kind: 'suspension';
  readonly cause: 'approvals';
  readonly message: AssistantMessage;
  /** The approvals that were not requested before. */
  readonly approvals: readonly NewRow<'approvals'>[];
  /** Ids of approvals that are void because the call has changed since. */
  readonly voids: readonly string[];
  /** True when an earlier attempt has stored the message. */
  readonly isKept: boolean;
}

/** These calls wait for other sessions; the other calls of their step have settled. */
export interface WaitSuspension {
  readonly kind: 'suspension';
  readonly cause: 'waits';
  readonly waiting: readonly WaitingCall[];
}

/** What a suspension writes, and what is told after its commit. */
interface SuspensionPlan {
  readonly writes: readonly Write[];
  readonly tell: () => void;
}

export async function suspendRun(parts: RunParts, run: OpenRun, suspension: Suspension): Promise<void> {
  const { runId, ledger } = run;
  const { writes, tell } =
    suspension.cause === 'approvals'
      ? await planQuestions(parts, run, suspension)
      : planWaits(parts, run, suspension.waiting);
  run.signal.throwIfAborted();
  await ledger.commit('suspend', [...writes, { update: 'runs', where: { runId }, set: { status: 'suspended' } }]);
  // The caller that stopped the run while it was being suspended was told that it stopped, and nothing else would wake
  // the run.
  if (run.signal.reason instanceof RunStoppedError) throw run.signal.reason;
  tell();
}

async function planQuestions(
  parts: RunParts,
  run: OpenRun,
  { approvals, voids, message, isKept }: ApprovalSuspension,
): Promise<SuspensionPlan> {
  const { runId, sessionKey, ledger } = run;
  const notices = await Promise.all(
    approvals.map((approval) =>
      // The question is a message of its own, so that the parts of the answer are numbered as if it had not been asked.
      parts.delivery.plan({
        ...answerOf(run, formatApproval(approval, run.child)),
        runId: newId('note', parts.now()),
        buttons: approvalButtons(approval),
        isLiteral: true,
      }),
    ),
  );
  return {
    writes: [
      ...(isKept ? [] : [ledger.step('ask', { message: message as unknown as JsonObject })]),
      ...voidWrites(voids),
      ...approvals.map((row): Write => ({ insert: 'approvals', row })),
      ...notices.flatMap(({ rows }) => rows.map((row): Write => ({ insert: 'outbox', row }))),
    ],
    tell: () => {
      tellVoid(parts, run, voids);
      for (const row of approvals) {
        const { id: approvalId, toolCallId, toolName, title, description, severity, allowedDecisions, expiresAt } = row;
        const approval = {
          approvalId,
          toolCallId,
          toolName,
          title,
          description,
          severity,
          allowedDecisions,
          expiresAt,
        };
        void parts.tell('approval-asked', { runId, sessionKey, approval });
      }
      parts.delivery.wake();
    },
  };
}

function planWaits(parts: RunParts, run: OpenRun, waiting: readonly WaitingCall[]): SuspensionPlan {
  const { runId, sessionKey } = run;
  const fresh = waiting.filter(({ isKept }) => !isKept);
  return {
    writes: fresh.map(({ row }): Write => ({ insert: 'waits', row })),
    tell: () => {
      for (const { call, row } of fresh) {
        const { toolCallId, awaited, expiresAt, handed } = row;
        const isForClient = handed !== null;
        void parts.tell('tool-started', { run, call });
        void parts.tell('wait-begun', { runId, sessionKey, toolCallId, awaited, isForClient, expiresAt });
      }
    },
  };
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
