// Ends a run that could not answer, or that was stopped. The surface is told in one sentence, the injections wait for
// the next run, and the message is kept as a dead letter that a person can send again.

import { AnswerWishError } from '../models/errors.ts';
import { isAtriumError, RunStoppedError } from '../protocol/errors.ts';
import type { AssistantMessage } from '../protocol/message.ts';
import { newId } from '../protocol/new-id.ts';
import { errorStack } from '../protocol/one-line.ts';
import type { Write } from '../store/store.ts';
import { CLIENT_GONE } from './client-gone.ts';
import { describeUnanswered } from './describe-unanswered.ts';
import { planAnswer } from './end-finished.ts';
import { endRun } from './end-run.ts';
import { MessageWithheldError, ModelCallError } from './errors.ts';
import { idsOf } from './ids-of.ts';
import { cutWordsOf } from './keep-cut-answer.ts';
import type { OpenRun } from './open-run.ts';
import { releaseInjections } from './release-injections.ts';
import type { RunParts } from './run-parts.ts';
import { withdrawEntries } from './withdraw-entries.ts';

export async function failRun(parts: RunParts, run: OpenRun, error: unknown): Promise<void> {
  // The signal's reason is the cause; the error that was thrown may only be its effect.
  const cause = run.signal.aborted ? run.signal.reason : error;
  const stopped = cause instanceof RunStoppedError ? cause : undefined;
  const told = stopped ? 'Stopped.' : sentenceOf(cause);
  if (!isAtriumError(cause))
    parts.warn(`The run ${run.runId} of ${run.sessionKey} failed unexpectedly: ${errorStack(cause)}`, idsOf(run));
  const { ledger, runId } = run;
  const isGone = stopped?.reason === CLIENT_GONE;
  // No person waits for a heartbeat, and the next one starts by itself.
  const isHeartbeat = run.kind === 'heartbeat';
  const { rows } =
    isGone || isHeartbeat
      ? { rows: [] }
      : await planAnswer(
          parts,
          run,
          await (stopped ? withCutWords(parts, run, told) : `${describeUnanswered(run)} ${told}`),
        );
  const wasAsked = ledger.hasSteps;
  const status = stopped ? 'stopped' : 'failed';
  const { sessionId } = run.session;
  const injections = await releaseInjections(parts.store, { runId, sessionId, keepsEntries: !isHeartbeat });
  await endRun(parts, run, {
    site: 'failure',
    status,
    outcome: {
      error: told,
      errorCode: isAtriumError(cause) ? cause.code : 'ATRIUM_RUN_FAILED',
      ...(cause instanceof ModelCallError ? { failureKind: cause.kind } : {}),
      ...(cause instanceof AnswerWishError ? { errorParam: cause.param } : {}),
    },
    writes: [
      ...(isHeartbeat ? [withdrawEntries(run, 1)] : []),
      // A message that was never sent to a model is not shown to a later one: no gate has checked it, and it may be
      // sent again.
      ...(wasAsked ? [] : [noticeOf(run, cause)]),
      ledger.notice(said(told), told, { status }),
      ...rows.map((row): Write => ({ insert: 'outbox', row })),
      ...injections,
      { update: 'approvals', where: { runId, status: 'waiting' }, set: { status: 'void' } },
      { remove: 'waits', where: { runId } },
      ...(stopped || isHeartbeat || run.kind === 'api' || isToldToParent(run) ? [] : deadLetters(parts, run, told)),
    ],
  });
}

/**
 * A draft on a chat platform shows the words that were written before the run was stopped, and the answer replaces it. So
 * the answer has these words too, where there is such a draft.
 */
async function withCutWords({ delivery }: RunParts, run: OpenRun, told: string): Promise<string> {
  const words = cutWordsOf(run);
  return words !== '' && (await delivery.isDraftShown(run.runId)) ? `${words}\n\n${told}` : told;
}

/** The parent of a child is told of its failure and decides what to do about it. */
function isToldToParent({ kind, child }: OpenRun): boolean {
  return kind === 'spawn' && child?.owes === true;
}

/** The words of a message that was not checked are not written into the conversation. */
function noticeOf({ ledger, text }: OpenRun, cause: unknown): Write {
  const shown =
    cause instanceof MessageWithheldError ? '[This message is withheld, because it was not checked.]' : text;
  return ledger.notice({ role: 'user', content: shown }, shown);
}

/** Each result that the run was told is a letter of its own, so that each can be sent again. */
function deadLetters(parts: RunParts, run: OpenRun, reason: string): readonly Write[] {
  const { runId, sessionKey, inbound, agentId, kind, context, results } = run;
  const createdAt = parts.now();
  const kept = results.length > 0 ? results : [{ inbound, agentId, jobId: context.jobId }];
  return kept.map((each) => {
    const payload = JSON.parse(JSON.stringify({ ...each, resumes: kind }));
    const id = newId('dead', createdAt);
    return { insert: 'deadLetters', row: { id, direction: 'in', runId, sessionKey, reason, createdAt, payload } };
  });
}

function said(text: string): AssistantMessage {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}

/**
 * Errors that are raised on purpose have a sentence for people. Any other error is a bug, and people are told only that
 * something failed.
 */
function sentenceOf(error: unknown): string {
  if (isAtriumError(error)) return error.message;
  return 'Something went wrong inside the gateway; its log says what.';
}
