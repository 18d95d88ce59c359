// A tool call that waits for a person, as the page shows it. The gateway decides: a button only sends a request, and
// the approval ends when the gateway says so.

import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { LiveEvent } from '../../src/protocol/live-event.ts';

type ApprovalStart = Extract<LiveEvent, { type: 'approval-start' }>;

/** What the gateway tells of an approval, live or when it is asked which ones wait. */
export type ApprovalFacts = Pick<
  ApprovalStart,
  'approvalId' | 'runId' | 'toolCallId' | 'title' | 'description' | 'severity' | 'allowedDecisions' | 'expiresAt'
>;

export interface Approval extends ApprovalFacts {
  readonly state: 'waiting' | 'sending' | 'over';
  /** The outcome of the approval, or the error of the last answer. Empty while there is neither. */
  readonly outcome: string;
  readonly isAllowed: boolean;
}

export const DECISION_LABELS: Readonly<Record<ApprovalDecision, string>> = {
  'allow-once': 'Allow once',
  'allow-always': 'Always allow',
  deny: 'Deny',
};

export function isDecision(text: string): text is ApprovalDecision {
  return Object.hasOwn(DECISION_LABELS, text);
}

/** `decision` is undefined when the page knows only that the approval does not wait any more. */
export function endedApproval(approval: Approval, decision?: string, by?: string): Approval {
  const what = (decision !== undefined && OUTCOMES[decision]) || 'It does not wait any more';
  const who = by && decision !== undefined && isDecision(decision) ? ` by ${by}` : '';
  return {
    ...approval,
    state: 'over',
    outcome: `${what}${who}.`,
    isAllowed: decision === 'allow-once' || decision === 'allow-always',
  };
}

const OUTCOMES: Readonly<Record<string, string>> = {
  'allow-once': 'Allowed once',
  'allow-always': 'Allowed for good',
  deny: 'Denied',
  timeout: 'Nobody answered in time',
  cancelled: 'Cancelled: the run was stopped',
  void: 'Void: what it asked for has changed',
};
