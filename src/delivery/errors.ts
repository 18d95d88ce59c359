// The errors that delivery raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class DeadLetterUnusableError extends defineError({
  code: 'ATRIUM_DELIVERY_DEAD_LETTER_UNUSABLE',
  status: 422,
  message: ({ id }: { id: string }) =>
    `The dead letter ${id} cannot be put back into the outbox: it does not hold a message on its way out. Look at it with "atrium deadletters show ${id}".`,
  means: 'A dead letter was to be put back into the outbox but holds no message on its way out.',
  remedy: 'Look at it with `atrium deadletters show`.',
}) {}

export class UnknownDeadLetterError extends defineError({
  code: 'ATRIUM_DEADLETTER_UNKNOWN',
  status: 404,
  message: ({ id }: { id: string }) =>
    `There is no dead letter ${JSON.stringify(id)}. "atrium deadletters list" shows those that there are.`,
  means: 'No dead letter has this id.',
  remedy: 'See `atrium deadletters list`.',
}) {}
