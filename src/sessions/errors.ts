// The errors that the sessions folder raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class SessionNotBegunError extends defineError({
  code: 'ATRIUM_SESSION_NOT_BEGUN',
  status: 409,
  message: ({ session }: { session: string }) =>
    `The session ${JSON.stringify(session)} is a subagent that waits to begin: its task was accepted, and nothing was said in it yet. "atrium subagents show" tells its state.`,
  means: 'A subagent was accepted and has not begun, so it has a key and no session yet.',
  remedy: 'Ask again when it has begun; `atrium subagents list` tells its state.',
}) {}

export class UnknownSessionError extends defineError({
  code: 'ATRIUM_SESSION_UNKNOWN',
  status: 404,
  message: ({ session }: { session: string }) =>
    `There is no session ${JSON.stringify(session)}. "atrium sessions list" shows those that there are.`,
  means: 'No session has this key or id.',
  remedy: 'See `atrium sessions list`.',
}) {}
