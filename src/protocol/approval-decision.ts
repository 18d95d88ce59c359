// What a person may answer to a tool call that waits for approval, what else may end the wait, and how the outcome is
// described to people. The words come from the plugin contract.

export const APPROVAL_DECISIONS = ['allow-once', 'allow-always', 'deny'] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** `timeout` means that no answer came in time, and `cancelled` that the run was stopped. */
export type ApprovalResolution = ApprovalDecision | 'timeout' | 'cancelled';

export function describeDecision(answered: {
  readonly decision: ApprovalResolution | null;
  /** The decision that holds when no answer came in time. */
  readonly timeoutBehavior: 'allow' | 'deny';
}): string {
  switch (answered.decision) {
    case 'allow-once':
      return 'allowed once';
    case 'allow-always':
      return 'allowed for good';
    case 'deny':
      return 'denied';
    case 'timeout':
      return `${answered.timeoutBehavior === 'allow' ? 'allowed' : 'denied'}, because nobody answered in time`;
    case 'cancelled':
      return 'cancelled';
    case null:
      return 'not answered';
  }
}
