// The answer to a client for a run that gave no answer: a status that says where the cause lies, and the run's own
// sentence.

import type { RunRow } from '../../store/tables.ts';
import type { ErrorAnswer } from './error-answer.ts';

/** Undefined for a run with an answer. A run that a gate blocked may have an answer as well. */
export function runFailure({ runId, status, outcome }: RunRow): ErrorAnswer | undefined {
  if (outcome === null && status === 'done') return { status: 410, code: 'run_erased', message: erasedSentence(runId) };
  if (status === 'done' || (status === 'blocked' && outcome?.reply !== undefined)) return undefined;
  const code = outcome?.errorCode ?? `run_${status}`;
  const sentence = outcome?.error ?? SENTENCES[status] ?? 'The run ended without an answer.';
  return { status: statusOf(status, code), code, message: `${sentence} (run ${runId})` };
}

function erasedSentence(runId: string): string {
  return `The run is over, but its answer was removed with its session (run ${runId}). Ask again with a new key.`;
}

const SENTENCES: Readonly<Partial<Record<RunRow['status'], string>>> = {
  stopped: 'The run was stopped.',
  blocked: 'The run was blocked.',
  failed: 'The run failed.',
};

function statusOf(status: RunRow['status'], code: string): number {
  if (status === 'blocked') return 403;
  if (status === 'stopped') return 409;
  if (/rate.?limit/i.test(code)) return 429;
  if (/context.?length/i.test(code)) return 400;
  if (/overloaded|^ATRIUM_STORE_/i.test(code)) return 503;
  return /timeout/i.test(code) ? 504 : 502;
}
