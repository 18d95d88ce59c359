// Stores the answer to an approval and wakes the run that waits for it, in one commit: the answer, the rule that
// "allow-always" stands for, and the trigger that lets the run go on. Of two answers the first one counts.
//
// Errors: UnknownApprovalError, ApprovalAnsweredError when it is no longer waiting, DecisionNotAllowedError when this
// approval does not offer the decision. Then nothing is written.

import type { ApprovalDecision, ApprovalResolution } from '../../protocol/approval-decision.ts';
import { newId } from '../../protocol/new-id.ts';
import { PreconditionFailedError } from '../../store/errors.ts';
import type { Store, Write } from '../../store/store.ts';
import type { ApprovalRow } from '../../store/tables.ts';
import { type Waker, wakeRun } from '../../store/wake-run.ts';
import { ApprovalAnsweredError, DecisionNotAllowedError, UnknownApprovalError } from '../errors.ts';
import type { AllowedCommand } from '../tool.ts';

export interface ApprovalAnswer {
  readonly id: string;
  readonly decision: ApprovalResolution;
  /** Who said it, for people. */
  readonly by: string;
  readonly now: number;
  /** Writes for the same commit, such as the messages to those who were asked. */
  readonly also?: ((answered: ApprovalRow) => Promise<readonly Write[]>) | undefined;
}

/** The approval as it stands now. The caller tells its session's lane that there is something to do. */
export async function answerApproval(store: Store, answer: ApprovalAnswer): Promise<ApprovalRow> {
  const { decision, by, now } = answer;
  const id = answer.id.trim().toLowerCase();
  const [approval] = await store.select('approvals', { where: { id }, limit: 1 });
  if (!approval) throw new UnknownApprovalError({ approvalId: id.slice(0, 100) });
  if (approval.status !== 'waiting')
    throw new ApprovalAnsweredError({ approvalId: id, decision: approval.decision ?? approval.status });
  const isOffered = approval.allowedDecisions.includes(decision as ApprovalDecision);
  if (decision !== 'timeout' && decision !== 'cancelled' && !isOffered) {
    throw new DecisionNotAllowedError({ approvalId: id, decision, allowed: approval.allowedDecisions });
  }
  const set = { status: 'answered', decision, decidedAt: now, decidedBy: by } as const;
  const answered = { ...approval, ...set };
  const writes: readonly Write[] = [
    { update: 'approvals', where: { id, status: 'waiting' }, set, expect: 1 },
    ...(decision === 'allow-always' ? ruleOf(approval, by, now) : []),
    ...(await wakeRun(store, approval.runId, wakerOf(id))),
    ...((await answer.also?.(answered)) ?? []),
  ];
  try {
    await store.commit(writes, { site: 'approval', waits: true });
  } catch (error) {
    if (!(error instanceof PreconditionFailedError)) throw error;
    const [latest] = await store.select('approvals', { where: { id }, limit: 1 });
    throw new ApprovalAnsweredError({ approvalId: id, decision: latest?.decision ?? latest?.status ?? 'gone' });
  }
  return answered;
}

function ruleOf({ agentId, toolName, id, rule }: ApprovalRow, createdBy: string, now: number): readonly Write[] {
  if (rule === null) return [];
  const { argv, cwd } = rule as unknown as AllowedCommand;
  return [
    {
      insert: 'allowRules',
      row: { id: newId('rule', now), agentId, toolName, argv, cwd, createdAt: now, createdBy, approvalId: id },
    },
  ];
}

/** How the answer to an approval is in the inbox. */
export function wakerOf(approvalId: string): Waker {
  return { kind: 'approval', dedupeKey: JSON.stringify(['approval', approvalId]) };
}
