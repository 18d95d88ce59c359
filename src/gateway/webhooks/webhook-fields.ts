// The fields that a direct request to a webhook may have, and what each may be. A sender cannot look into the gateway, so
// a value that would be passed over in silence is refused by name, and a field that changes nothing is told in the answer.
// Errors: WebhookRefusedError for a field with a value that it cannot have. A field that is null counts as not given.

import { oneLine } from '../../protocol/one-line.ts';
import { MAX_FALLBACKS } from '../../schedule/job-draft.ts';
import { WebhookRefusedError } from '../errors.ts';

export type WebhookPayload = Readonly<Record<string, unknown>>;

interface Field {
  readonly fits: (value: unknown) => boolean;
  readonly expected: string;
}

export const MAX_SECONDS = 86_400;

const TEXT: Field = { fits: (value) => typeof value === 'string', expected: 'a text' };
const TEXTS: Field = {
  fits: (value) =>
    Array.isArray(value) && value.length <= MAX_FALLBACKS && value.every((each) => typeof each === 'string'),
  expected: `a list of at most ${MAX_FALLBACKS} texts`,
};
const SWITCH: Field = { fits: (value) => typeof value === 'boolean', expected: 'true or false' };
const SECONDS: Field = {
  fits: (value) => typeof value === 'number' && value >= 1 && value <= MAX_SECONDS,
  expected: `a number from 1 to ${MAX_SECONDS}`,
};
const oneOf = (...words: readonly string[]): Field => ({
  fits: (value) => typeof value === 'string' && words.includes(value),
  expected: words.map((word) => JSON.stringify(word)).join(' or '),
});

const EVERY = { agentId: TEXT, sessionKey: TEXT, idempotencyKey: TEXT };
const FIELDS: Readonly<Record<'wake' | 'agent', ReadonlyMap<string, Field>>> = {
  wake: new Map(Object.entries({ ...EVERY, text: TEXT, mode: oneOf('now', 'next-heartbeat') })),
  agent: new Map(
    Object.entries({
      ...EVERY,
      message: TEXT,
      name: TEXT,
      sessionMode: oneOf('isolated', 'persistent'),
      deliver: SWITCH,
      channel: TEXT,
      to: TEXT,
      accountId: TEXT,
      model: TEXT,
      fallbacks: TEXTS,
      timeoutSeconds: SECONDS,
      waitForCompletion: SWITCH,
    }),
  ),
};

/** More are not named: a sender chooses how many there are, and how long. */
const MOST_NAMED = 20;
const MOST_CHARS = 60;

/** Gives the names of the fields that change nothing. */
export function checkFields(kind: 'wake' | 'agent', payload: WebhookPayload): readonly string[] {
  const notUsed: string[] = [];
  for (const [name, value] of Object.entries(payload)) {
    if (value === undefined || value === null) continue;
    const field = FIELDS[kind].get(name);
    if (field && !field.fits(value)) {
      throw new WebhookRefusedError({
        problem: `"${name}" is ${oneLine(JSON.stringify(value), MOST_CHARS)}, and must be ${field.expected}`,
      });
    }
    if (!field) notUsed.push(oneLine(name, MOST_CHARS));
  }
  return notUsed.slice(0, MOST_NAMED);
}
