// Makes the id of an approval. People type it, so it is short and has no letters that look like digits. It is random,
// so that no person can guess it.

import { randomInt } from 'node:crypto';

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** For example `k3f9-x2mq`: about 40 random bits. */
export function newApprovalId(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
