// What a person reads in the chat when a tool call waits for their word: exactly what would run, and what to type.

import type { ApprovalRow } from '../store/tables.ts';

const MAX_DESCRIPTION_CHARS = 4_000;

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
): string {
  const { id, title, toolName, askedBy, allowedDecisions, timeoutBehavior, createdAt, expiresAt } = approval;
  const minutes = Math.max(1, Math.round((expiresAt - createdAt) / 60_000));
  const asker = askedBy === toolName ? '' : ` (asked for by ${askedBy})`;
  return [
    `Approval needed: ${title}${asker}`,
    '',
    shown(approval.description),
    '',
    `Answer with /approve ${id} ${allowedDecisions.join(' | ')}`,
    `Without an answer within ${minutes} minute${minutes === 1 ? '' : 's'} it is ${timeoutBehavior === 'allow' ? 'allowed' : 'denied'}.`,
  ].join('\n');
}

function shown(description: string): string {
  if (description.length <= MAX_DESCRIPTION_CHARS) return description;
  const rest = description.length - MAX_DESCRIPTION_CHARS;
  return `${description.slice(0, MAX_DESCRIPTION_CHARS)}\n[${rest} more characters; "atrium approvals list" shows all of them. Deny what you have not read.]`;
}
