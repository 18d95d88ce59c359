import { expect, it } from 'vitest';
import { PreconditionFailedError, StoreFullError } from '../../store/errors.ts';
import { RequestInvalidError, TokenAttemptsError } from '../errors.ts';
import { toErrorAnswer } from './error-answer.ts';

it('tells who came second from a store in trouble', () => {
  expect(toErrorAnswer(new PreconditionFailedError({ table: 'sessions', problem: 'has changed' }))).toMatchObject({
    status: 409,
  });
  expect(toErrorAnswer(new StoreFullError({ store: 'store.db' }))).toMatchObject({ status: 503 });
  expect(toErrorAnswer(new Error('a bug'))).toMatchObject({ status: 500, code: 'internal_error' });
});

it('answers with the status, the field and the waiting time that the error has', () => {
  const invalid = new RequestInvalidError({ problem: '"n" can only be 1.', param: 'n' });
  expect(toErrorAnswer(invalid)).toMatchObject({ status: 400, code: 'ATRIUM_HTTP_REQUEST_INVALID', param: 'n' });
  const attempts = new TokenAttemptsError({ retryAfterSeconds: 30 });
  expect(toErrorAnswer(attempts)).toMatchObject({ status: 429, retryAfterSeconds: 30 });
});

it.each([undefined, 200, 999, 404.5, '404'])('takes no status from a made-up error that is none: %s', (status) => {
  const error = Object.assign(new Error('made up'), { code: 'ATRIUM_MADE_UP', status });
  expect(toErrorAnswer(error)).toMatchObject({ status: 500, code: 'ATRIUM_MADE_UP' });
});
