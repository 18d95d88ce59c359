// The name of an approval: people type it, so it is short and has no letters that look like digits; and nobody may guess
// it, so it is random.

import { randomInt } from 'node:crypto';

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** For example `k3f9-x2mq`: about 40 random bits. */
export function newApprovalId(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
