// An error as an answer: a status, a stable code and one sentence. What Atrium raises on purpose is told as it is;
// anything else is a bug whose details are the log's affair, never the caller's.

import { isAtriumError, RequestInvalidError, TokenAttemptsError } from '../../protocol/errors.ts';

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
    status: statusOf(error.code),
    code: error.code,
    message: error.message,
    param: error instanceof RequestInvalidError ? error.param : undefined,
    retryAfterSeconds: error instanceof TokenAttemptsError ? error.retryAfterSeconds : undefined,
  };
}

/** `{ error: { code, message } }` for the API; the shape that OpenAI's clients know under `/v1`. */
export function errorBody(answer: ErrorAnswer, isOpenAi: boolean): object {
  const { status, code, message, param } = answer;
  if (!isOpenAi) return { error: { code, message, ...(param !== undefined && { param }) } };
  return { error: { message, type: openAiType(status), code, param: param ?? null } };
}

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  ATRIUM_HTTP_TOKEN_MISSING: 401,
  ATRIUM_HTTP_TOKEN_WRONG: 401,
  ATRIUM_HTTP_TOKEN_ATTEMPTS: 429,
  ATRIUM_HTTP_HOST_REFUSED: 403,
  ATRIUM_HTTP_ORIGIN_REFUSED: 403,
  ATRIUM_HTTP_BODY_TOO_LARGE: 413,
  ATRIUM_HTTP_IDEMPOTENCY_KEY_REUSED: 422,
  ATRIUM_PLUGIN_METHOD: 422,
  ATRIUM_PLUGIN_REFUSED: 422,
  ATRIUM_PLUGIN_TIMEOUT: 504,
  ATRIUM_APPROVAL_ANSWERED: 409,
  ATRIUM_APPROVAL_DECISION: 400,
  // Two callers changed the same thing at once, and the other one was quicker.
  ATRIUM_STORE_PRECONDITION: 409,
};

/** What the caller got wrong; the rest is the gateway's own trouble. */
function statusOf(code: string): number {
  const known = STATUS_BY_CODE[code];
  if (known !== undefined) return known;
  if (/^ATRIUM_(HTTP|AGENT|SESSION|RUN|DEADLETTER|APPROVAL|JOB|PLUGIN)_(\w+_)?UNKNOWN$/.test(code)) return 404;
  if (/^ATRIUM_(HTTP|AGENT|SESSION|ROUTE|ROUTING|JOB|SCHEDULE)_(\w+_)?INVALID$/.test(code)) return 400;
  return /^ATRIUM_(STORE|STATE|GATEWAY|LANES?)_/.test(code) ? 503 : 500;
}

function openAiType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
