// An error as the whole answer to a request, with the headers that its status asks for; and in the log what the caller is
// not told.

import { describeForOperator, GatewayNotReadyError } from '../../protocol/errors.ts';
import { isStoreError } from '../../store/errors.ts';
import { WrongMethodError } from '../errors.ts';
import { errorBody, toErrorAnswer } from './error-answer.ts';
import { JsonReply } from './json-reply.ts';

export function errorReply(
  error: unknown,
  { method, path, warn }: { readonly method: string; readonly path: string; readonly warn: (text: string) => void },
): JsonReply {
  const answer = toErrorAnswer(error);
  const { status, retryAfterSeconds } = answer;
  // A gateway that accepts nothing while it starts or stops works as intended, and a store that refuses was named once.
  if (status >= 500 && !(error instanceof GatewayNotReadyError) && !isStoreError(error))
    warn(`${method} ${path.slice(0, 200)}: ${describeForOperator(error)}`);
  const headers = {
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="atrium"' }),
    ...(error instanceof WrongMethodError && { allow: error.allowed.join(', ') }),
    ...(status === 503 && { 'retry-after': '1' }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    // The connection is closed, because reading the rest of a body that was too long would be a waste.
    ...(status === 413 && { connection: 'close' }),
  };
  return new JsonReply(errorBody(answer, path.startsWith('/v1/')), { status, headers });
}
