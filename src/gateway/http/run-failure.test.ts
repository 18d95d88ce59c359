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
  node: null,
  stopReason: null,
} as const;

it.each([
  ['failed', {}, 502],
  ['failed', { errorCode: 'ATRIUM_MODEL_CALL', failureKind: 'rate-limit' }, 429],
  ['failed', { errorCode: 'ATRIUM_MODEL_CALL', failureKind: 'context-length' }, 400],
  ['failed', { errorCode: 'ATRIUM_MODEL_CALL', failureKind: 'overloaded' }, 503],
  ['failed', { errorCode: 'ATRIUM_MODEL_CALL', failureKind: 'timeout' }, 504],
  ['failed', { errorCode: 'ATRIUM_MODEL_CALL', failureKind: 'auth' }, 502],
  ['failed', { errorCode: 'ATRIUM_RUN_TIMEOUT' }, 504],
  ['failed', { errorCode: 'ATRIUM_STORE_FULL' }, 503],
  ['blocked', {}, 403],
  ['stopped', {}, 409],
] as const)('a run that %s (%j) is status %i', (status, facts, http) => {
  const failure = runFailure({ ...RUN, status, outcome: { error: 'The provider said no.', ...facts } });
  expect(failure).toMatchObject({ status: http, message: expect.stringContaining('The provider said no.') });
});

it('a run with an answer is no failure', () => {
  expect(runFailure({ ...RUN, status: 'done', outcome: { reply: 'Yes.' } })).toBeUndefined();
  expect(runFailure({ ...RUN, status: 'blocked', outcome: { reply: 'Not today.' } })).toBeUndefined();
});
