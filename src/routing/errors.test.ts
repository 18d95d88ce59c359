import { expect, it } from 'vitest';
import { UnknownAgentError } from './errors.ts';

it('names the agents that there are when no name is close', () => {
  const error = new UnknownAgentError({ agentId: 'x', known: ['main'], suggestion: undefined });
  expect(error.message).toContain('Known agents: main');
});
