// The answer to a client for a run that gave no answer: a status that says where the cause lies, and the run's own
// sentence.

import type { RunRow } from '../../store/tables.ts';
import type { ErrorAnswer } from './error-answer.ts';

/** Undefined for a run with an answer. A run that a gate blocked may have an answer as well. */
export function runFailure({
  runId,
  status,
  outcome,
}: Pick<RunRow, 'runId' | 'status' | 'outcome'>): ErrorAnswer | undefined {
  if (outcome === null && status === 'done') return { status: 410, code: 'run_erased', message: erasedSentence(runId) };
  if (status === 'done' || (status === 'blocked' && outcome?.reply !== undefined)) return undefined;
  const code = outcome?.errorCode ?? `run_${status}`;
  const sentence = outcome?.error ?? SENTENCES[status] ?? 'The run ended without an answer.';
  const param = outcome?.errorParam;
  return { status: statusOf(status, outcome), code, message: `${sentence} (run ${runId})`, ...(param && { param }) };
}

function erasedSentence(runId: string): string {
  return `The run is over, but its answer was removed with its session (run ${runId}). Ask again with a new key.`;
}

const SENTENCES: Readonly<Partial<Record<RunRow['status'], string>>> = {
  stopped: 'The run was stopped.',
  blocked: 'The run was blocked.',
  failed: 'The run failed.',
};

/** The status that tells a client why a model gave no answer. */
export function statusOfKind(kind: string): number {
  return STATUS_OF_KIND[kind] ?? 502;
}

const STATUS_OF_KIND: Readonly<Record<string, number>> = {
  'rate-limit': 429,
  'context-length': 400,
  overloaded: 503,
  timeout: 504,
};

/** The client asked for something that cannot be fulfilled, which is known only when the run begins. */
const OF_REQUEST: ReadonlySet<string> = new Set(['ATRIUM_MODEL_WISH', 'ATRIUM_CLIENT_TOOL_NAME']);

function statusOf(status: RunRow['status'], outcome: RunRow['outcome']): number {
  if (status === 'blocked') return 403;
  if (status === 'stopped') return 409;
  const { errorCode = '', failureKind = '' } = outcome ?? {};
  if (OF_REQUEST.has(errorCode)) return 400;
  if (errorCode.startsWith('ATRIUM_STORE_')) return 503;
  if (errorCode === 'ATRIUM_RUN_TIMEOUT') return 504;
  return statusOfKind(failureKind);
}
