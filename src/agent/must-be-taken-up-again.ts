// Whether an error leaves a run without an outcome, so that it must be taken up again: another process has claimed it, its
// session was ended meanwhile, or the store refused.

import { ClaimLostError, isStoreError, PreconditionFailedError } from '../store/errors.ts';

export function mustBeTakenUpAgain(error: unknown): boolean {
  return error instanceof ClaimLostError || error instanceof PreconditionFailedError || isStoreError(error);
}
