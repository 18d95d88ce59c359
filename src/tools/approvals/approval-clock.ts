// Answers approvals that no person answers in time with `timeout`.

import { DueClock, type DueClockParts } from '../../store/due-clock.ts';
import type { Store } from '../../store/store.ts';
import { ApprovalAnsweredError, UnknownApprovalError } from '../errors.ts';

export interface ApprovalClockParts extends Pick<DueClockParts<string>, 'now' | 'warn' | 'isMine' | 'firstPauseMs'> {
  readonly store: Store;
  /** Writes down that the time of this approval is over, and wakes its run. */
  readonly expire: (approvalId: string) => Promise<unknown>;
}

export function createApprovalClock({ store, expire, ...parts }: ApprovalClockParts): DueClock<string> {
  return new DueClock({
    ...parts,
    overdue: async (now, limit) => {
      const where = { status: 'waiting', expiresAt: { lte: now } };
      const rows = await store.select('approvals', { where, orderBy: [['expiresAt', 'asc']], limit });
      return rows.map(({ id }) => id);
    },
    nextAt: async () => {
      const where = { status: 'waiting' };
      const [next] = await store.select('approvals', { where, orderBy: [['expiresAt', 'asc']], limit: 1 });
      return next?.expiresAt;
    },
    expire: (id) => expire(id).catch(unlessAnswered),
    trouble: 'Approvals whose time is over could not be answered yet',
  });
}

/** A person answered first, or the session is gone. */
function unlessAnswered(error: unknown): void {
  if (!(error instanceof ApprovalAnsweredError || error instanceof UnknownApprovalError)) throw error;
}
