// Makes ids for things that happen: runs, sessions, dead letters. Ids sort by time, and their random end cannot be
// guessed.

import { randomBytes } from 'node:crypto';

/** For example `run_0mh3k9q2x4f8c1d07a5be`: a prefix, the time in base 36, and 60 random bits. */
export function newId(
  prefix: 'run' | 'ses' | 'dead' | 'inj' | 'call' | 'note' | 'rule' | 'proc' | 'job',
  now: number,
): string {
  return `${prefix}_${now.toString(36).padStart(9, '0')}${randomBytes(8).toString('hex').slice(0, 15)}`;
}
