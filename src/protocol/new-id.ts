// Makes ids. Ids of things that happen (runs, sessions, dead letters) sort by time, and their random end cannot be
// guessed. The id of an approval and the code of a pairing are short and have no letters that look like digits, because
// people type them.

import { randomFillSync, randomInt } from 'node:crypto';

/** For example `run_0mh3k9q2x4f8c1d07a5be`: a prefix, the time in base 36, and 60 random bits. */
export function newId(prefix: IdPrefix, now: number): string {
  return `${oldestIdSince(prefix, now)}${randomHex(8).slice(0, 15)}`;
}

/** Asking the system for random bytes costs the same for a few as for many, so they are fetched ahead. Each is used once. */
const AHEAD = Buffer.alloc(1_024);
let used = AHEAD.length;

function randomHex(bytes: number): string {
  if (used + bytes > AHEAD.length) {
    randomFillSync(AHEAD);
    used = 0;
  }
  const text = AHEAD.toString('hex', used, used + bytes);
  AHEAD.fill(0, used, used + bytes);
  used += bytes;
  return text;
}

/** No id of this kind that was made at this time or later sorts before it. */
export function oldestIdSince(prefix: IdPrefix, at: number): string {
  return `${prefix}_${at.toString(36).padStart(9, '0')}`;
}

type IdPrefix = 'run' | 'ses' | 'dead' | 'inj' | 'call' | 'note' | 'rule' | 'proc' | 'job' | 'emb' | 'replay' | 'hold';

const CODE_SIGNS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** For example `K3F9X2MQ`: 40 random bits. A person reads it to another, so no sign looks like another one. */
export function newPairingCode(): string {
  return Array.from({ length: 8 }, () => CODE_SIGNS[randomInt(CODE_SIGNS.length)]).join('');
}

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** For example `k3f9-x2mq`: about 40 random bits. */
export function newApprovalId(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
