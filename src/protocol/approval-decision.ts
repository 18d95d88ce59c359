// What a person may answer to a tool call that waits for approval, and what else may end the wait. The words come from
// the plugin contract.

export const APPROVAL_DECISIONS = ['allow-once', 'allow-always', 'deny'] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** `timeout` means that no answer came in time, and `cancelled` that the run was stopped. */
export type ApprovalResolution = ApprovalDecision | 'timeout' | 'cancelled';
