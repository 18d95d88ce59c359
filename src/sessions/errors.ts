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

export class UnknownBranchPointError extends defineError({
  code: 'ATRIUM_SESSION_BRANCH_POINT_UNKNOWN',
  status: 400,
  message: ({ session, runId }: { session: string; runId: string }) =>
    `A branch of ${JSON.stringify(session)} cannot begin at the run ${JSON.stringify(runId)}: nothing of it is in the transcript, or it is not over yet. "atrium sessions show" lists what was said with its runs.`,
  means: 'The run at which a branch should begin has said nothing in the session, or is not over.',
  remedy: 'Name a run of this session that is over, or none to branch from its end.',
}) {}
