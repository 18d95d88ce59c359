// An error as an answer: a status, a stable code and one sentence. An error that Atrium raises on purpose is shown as
// it is; any other error is a bug, and its details go to the log and never to the caller.

import { AnswerWishError } from '../../models/errors.ts';
import { type AtriumError, isAtriumError } from '../../protocol/errors.ts';
import { RequestInvalidError, TokenAttemptsError } from '../errors.ts';

export interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The field of the request that is wrong. */
  readonly param?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

export function toErrorAnswer(error: unknown): ErrorAnswer {
  if (!isAtriumError(error)) {
    return {
      status: 500,
      code: 'internal_error',
      message: 'Something unexpected happened. The log of the gateway has the details.',
    };
  }
  return {
    status: statusOf(error),
    code: error.code,
    message: error.message,
    param: error instanceof RequestInvalidError || error instanceof AnswerWishError ? error.param : undefined,
    retryAfterSeconds: error instanceof TokenAttemptsError ? error.retryAfterSeconds : undefined,
  };
}

/** `{ error: { code, message } }` for the API; under `/v1` the shape that OpenAI's clients expect. */
export function errorBody(answer: ErrorAnswer, isOpenAi: boolean): object {
  const { status, code, message, param } = answer;
  if (!isOpenAi) return { error: { code, message, ...(param !== undefined && { param }) } };
  return { error: { message, type: openAiType(status), code, param: param ?? null } };
}

/** An error that a plugin created may have any value as its status. */
function statusOf({ status }: AtriumError): number {
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : 500;
}

function openAiType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
