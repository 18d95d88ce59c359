import { expect, it } from 'vitest';
import { runFailure } from './run-failure.ts';

const RUN = {
  runId: 'run_1',
  sessionKey: 'agent:main:main',
  agentId: 'main',
  sessionId: null,
  claim: 1,
  progressClaim: 1,
  startedAt: 0,
  endedAt: 1,
  observed: true,
} as const;

it.each([
  ['failed', undefined, 502],
  ['failed', 'rate-limit', 429],
  ['failed', 'context-length', 400],
  ['failed', 'timeout', 504],
  ['blocked', undefined, 403],
  ['stopped', undefined, 409],
] as const)('a run that %s (%s) is status %i', (status, errorCode, http) => {
  const failure = runFailure({ ...RUN, status, outcome: { error: 'The provider said no.', errorCode } });
  expect(failure).toMatchObject({ status: http, message: expect.stringContaining('The provider said no.') });
});

it('a run with an answer is no failure', () => {
  expect(runFailure({ ...RUN, status: 'done', outcome: { reply: 'Yes.' } })).toBeUndefined();
  expect(runFailure({ ...RUN, status: 'blocked', outcome: { reply: 'Not today.' } })).toBeUndefined();
});
