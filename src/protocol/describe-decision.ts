// Describes the outcome of an approval in the words that people read.

import type { ApprovalResolution } from './approval-decision.ts';

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
