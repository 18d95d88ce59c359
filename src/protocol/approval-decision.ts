// What a person may say to a tool call that waits for them, and what else may end the waiting. The words are the plugin
// contract's.

export const APPROVAL_DECISIONS = ['allow-once', 'allow-always', 'deny'] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** `timeout`: nobody answered in time. `cancelled`: the run was stopped. */
export type ApprovalResolution = ApprovalDecision | 'timeout' | 'cancelled';
