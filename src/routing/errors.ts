// The errors that routing raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class UnknownAgentError extends defineError({
  code: 'ATRIUM_AGENT_UNKNOWN',
  status: 404,
  message: ({
    agentId,
    known,
    suggestion,
  }: {
    agentId: string;
    known: readonly string[];
    suggestion: string | undefined;
  }) => {
    const next = suggestion
      ? `Did you mean "${suggestion}"?`
      : `Known agents: ${known.join(', ')}. Add one with "atrium agents add ${agentId}".`;
    return `There is no agent "${agentId}". ${next}`;
  },
  means: 'No agent of this id is configured. `known` lists those that are.',
  remedy: 'Use one of them, or add the agent with `atrium agents add`.',
}) {}

export class InvalidSessionKeyError extends defineError({
  code: 'ATRIUM_SESSION_KEY_INVALID',
  status: 400,
  message: ({ sessionKey, problem }: { sessionKey: string; problem: string }) =>
    `${JSON.stringify(sessionKey)} cannot be a session key: ${problem}. Use a name such as "main" or a whole key such as "agent:main:web:direct:ana".`,
  means: 'A message named a session with a text that cannot be a key; `problem` says why.',
  remedy: 'Use a name such as `main`, or a whole key as `atrium sessions list` shows it.',
}) {}
