// What a person reads in the chat when a tool call waits for their decision: exactly what would run, and what to type.

import type { ApprovalDecision } from '../protocol/approval-decision.ts';
import type { Button } from '../protocol/button.ts';
import { oneLine } from '../protocol/one-line.ts';
import type { ApprovalRow, ChildRow } from '../store/tables.ts';

/** This is more than the longest command, so that the person who decides about a command reads all of it. */
const MAX_DESCRIPTION_CHARS = 24_000;

export function formatApproval(
  approval: Pick<
    ApprovalRow,
    | 'id'
    | 'title'
    | 'description'
    | 'toolName'
    | 'askedBy'
    | 'allowedDecisions'
    | 'timeoutBehavior'
    | 'createdAt'
    | 'expiresAt'
  >,
  /** The subagent that asks. People who read the question know only the session that spawned it. */
  child?: Pick<ChildRow, 'childKey' | 'label' | 'taskName'> | undefined,
): string {
  const { id, title, toolName, askedBy, allowedDecisions, timeoutBehavior, createdAt, expiresAt } = approval;
  const asker = askedBy === toolName ? '' : ` (asked for by ${askedBy})`;
  return [
    `Approval needed: ${title}${asker}`,
    '',
    ...(child
      ? [`The subagent ${oneLine(child.label ?? child.taskName ?? child.childKey, 100)} asks for it.`, '']
      : []),
    shown(approval.description),
    '',
    `Answer with /approve ${id} ${allowedDecisions.join(' | ')}`,
    `Without an answer within ${spanOf(expiresAt - createdAt)} it is ${timeoutBehavior === 'allow' ? 'allowed' : 'denied'}.`,
  ].join('\n');
}

/** A button for each answer; pressing it is typing the command. */
export function approvalButtons({
  id,
  allowedDecisions,
}: Pick<ApprovalRow, 'id' | 'allowedDecisions'>): readonly Button[] {
  return allowedDecisions.map((decision) => ({ label: LABELS[decision], value: `/approve ${id} ${decision}` }));
}

const LABELS: Readonly<Record<ApprovalDecision, string>> = {
  'allow-once': 'Allow once',
  'allow-always': 'Allow always',
  deny: 'Deny',
};

function spanOf(ms: number): string {
  const [count, unit] = ms < 60_000 ? [Math.round(ms / 1_000), 'second'] : [Math.round(ms / 60_000), 'minute'];
  return `${Math.max(1, count)} ${unit}${count > 1 ? 's' : ''}`;
}

function shown(description: string): string {
  if (description.length <= MAX_DESCRIPTION_CHARS) return description;
  const rest = description.length - MAX_DESCRIPTION_CHARS;
  return `${description.slice(0, MAX_DESCRIPTION_CHARS)}\n[${rest} more characters; "atrium approvals list" shows all of them. Deny what you have not read.]`;
}
