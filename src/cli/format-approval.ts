// An approval for an operator at a terminal: who asks, how long there is to decide or how it went, and exactly what would
// run, to its last character.

import { describeDecision } from '../protocol/describe-decision.ts';
import type { ApprovalRow } from '../store/tables.ts';
import { oneLine, visibleLine } from './output/format-table.ts';
import { formatAge, formatTime } from './output/format-time.ts';

/** What the API tells of one. */
export type ToldApproval = Omit<ApprovalRow, 'digest'>;

export function formatApproval(approval: ToldApproval, now: number, timezone: string): string {
  const { id, title, toolName, askedBy, severity, sessionKey, allowedDecisions, status, description } = approval;
  const asker = askedBy === toolName ? '' : ` (asked for by ${askedBy})`;
  const lines = [
    `${id}  ${title}${asker}`,
    `  ${severity}, ${howItStands(approval, now, timezone)}`,
    `  in ${sessionKey}`,
    ...(status === 'waiting' ? [`  atrium approvals answer ${id} ${allowedDecisions.join(' | ')}`] : []),
  ];
  const what = description.split('\n').map((line) => `    ${visibleLine(line)}`.trimEnd());
  return `${lines.map((line) => line.slice(0, line.search(/\S/)) + oneLine(line)).join('\n')}\n\n${what.join('\n')}\n`;
}

function howItStands(approval: ToldApproval, now: number, timezone: string): string {
  const { status, expiresAt, timeoutBehavior, decision, decidedBy, decidedAt } = approval;
  if (status === 'waiting') {
    return `${formatAge(expiresAt - now)} left, then ${timeoutBehavior === 'allow' ? 'allowed' : 'denied'}`;
  }
  const when = decidedAt === null ? '' : `, ${formatTime(decidedAt, timezone)}`;
  const isVoid = status === 'void' ? '; void, because what it asked for has changed' : '';
  return `${describeDecision({ decision, timeoutBehavior })}${byWhom(decision, decidedBy)}${when}${isVoid}`;
}

/** Of a run that was stopped, the reason is kept instead of a name. */
function byWhom(decision: ToldApproval['decision'], decidedBy: string | null): string {
  if (decidedBy === null || decision === 'timeout') return '';
  return decision === 'cancelled' ? `, because ${decidedBy}` : ` by ${decidedBy}`;
}
