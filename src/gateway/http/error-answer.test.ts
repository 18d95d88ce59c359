import { expect, it } from 'vitest';
import { PreconditionFailedError, StoreFullError } from '../../store/errors.ts';
import { toErrorAnswer } from './error-answer.ts';

it('tells who came second from a store in trouble', () => {
  expect(toErrorAnswer(new PreconditionFailedError({ table: 'sessions', problem: 'has changed' }))).toMatchObject({
    status: 409,
  });
  expect(toErrorAnswer(new StoreFullError({ store: 'store.db' }))).toMatchObject({ status: 503 });
  expect(toErrorAnswer(new Error('a bug'))).toMatchObject({ status: 500, code: 'internal_error' });
});
