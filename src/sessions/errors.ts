// The errors that the sessions folder raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class UnknownSessionError extends defineError({
  code: 'ATRIUM_SESSION_UNKNOWN',
  status: 404,
  message: ({ session }: { session: string }) =>
    `There is no session ${JSON.stringify(session)}. "atrium sessions list" shows those that there are.`,
  means: 'No session has this key or id.',
  remedy: 'See `atrium sessions list`.',
}) {}
