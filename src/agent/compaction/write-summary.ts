// Lets a model write the summary of older messages, within its time limit and in as many parts as its window needs. The
// calls are recorded and paid for like any other.
// Errors: throws only the reason of the run's signal. Any other failure is returned as `failed`, in one line.

import { estimateTokens } from '../../context/budget/estimate-tokens.ts';
import type { Model, ModelEnd, ModelRequest } from '../../models/model.ts';
import { retryDelayMs } from '../../models/retry-delay.ts';
import { sentBytes } from '../../models/wire-images.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { errorText } from '../../protocol/one-line.ts';
import { timeLimit } from '../../protocol/time-limit.ts';
import { NO_USAGE } from '../../protocol/usage.ts';
import { keepUsage } from '../keep-usage.ts';
import type { PastEntry } from '../message-spans.ts';
import { exchangeOf, modelEnd, warnOfNotes } from '../model-exchange.ts';
import type { OpenRun } from '../open-run.ts';
import { callOfSummary, FRAME_CALL } from '../request-frame.ts';
import type { RunParts } from '../run-parts.ts';
import { reserveCall } from '../spend/reserve-call.ts';
import { settleCall } from '../spend/settle-call.ts';
import { limitsOf } from './request-size.ts';
import { partsOf, summaryRequest } from './summary-request.ts';

export type WrittenSummary =
  | { readonly kind: 'written'; readonly text: string; readonly by: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface SummarySubject {
  readonly older: readonly PastEntry[];
  /** The model of the run, which writes the summary unless the configuration names another. */
  readonly model: Model;
  readonly maxTokens: number;
  readonly instructions?: string | undefined;
}

export async function writeSummary(parts: RunParts, run: OpenRun, about: SummarySubject): Promise<WrittenSummary> {
  const { timeoutMs } = parts.compaction(run.agentId);
  const limit = timeLimit(timeoutMs, () => new Error(`it took longer than ${timeoutMs / 1_000} s`), run.signal);
  try {
    return await writeInParts(parts, run, about, limit.signal);
  } catch (error) {
    run.signal.throwIfAborted();
    return { kind: 'failed', reason: limit.signal.aborted ? errorText(limit.signal.reason) : errorText(error) };
  } finally {
    limit.clear();
  }
}

async function writeInParts(
  parts: RunParts,
  run: OpenRun,
  { older, model: own, maxTokens, instructions }: SummarySubject,
  signal: AbortSignal,
): Promise<WrittenSummary> {
  const model = await writerOf(parts, run, own);
  const { window } = limitsOf(model, parts.compaction(run.agentId));
  const perPart = Math.max(LEAST_PART_TOKENS, Math.floor(window * PART_SHARE) - maxTokens);
  const calls = new SummaryCalls(await parts.store.count('captures', { runId: run.runId, call: { lt: FRAME_CALL } }));
  let soFar: string | undefined;
  for (const lines of partsOf(older, perPart)) {
    const request = summaryRequest({ lines, soFar, instructions, maxTokens });
    const { text, end } = await ask(parts, run, model, request, calls, signal);
    if (end.stop === 'length') throw new Error('it came out too long');
    if (end.stop === 'refusal')
      throw new Error(`the model refused to write it${end.withheld === undefined ? '' : ` (${end.withheld})`}`);
    if (text === '') throw new Error('it came out empty');
    if (estimateTokens(text) > maxTokens * TOLERANCE) throw new Error('it came out too long');
    soFar = text;
  }
  if (soFar === undefined) throw new Error('there was nothing to summarise');
  return { kind: 'written', text: soFar, by: `${model.provider}/${model.model}` };
}

/**
 * The share of the window for the part that is summarised; the rest is for the task, the answer and a wrong estimate.
 */
const PART_SHARE = 0.6;
const LEAST_PART_TOKENS = 400;
/** Models count words badly, so a summary may be this many times too long. */
const TOLERANCE = 2;

/** When the configured writer is not available, the model of the run writes the summary. */
async function writerOf(parts: RunParts, { agentId, runId, sessionKey }: OpenRun, own: Model): Promise<Model> {
  const ref = parts.compaction(agentId).model;
  if (!ref) return own;
  try {
    return await parts.models.model(ref, agentId);
  } catch (error) {
    if (!isAtriumError(error)) throw error;
    parts.warn(
      `The model of compaction.model cannot be used, so ${own.provider}/${own.model} sums up: ${error.message}`,
      { runId, sessionKey, agentId },
    );
    return own;
  }
}

async function ask(
  parts: RunParts,
  run: OpenRun,
  model: Model,
  request: ModelRequest,
  calls: SummaryCalls,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly end: ModelEnd }> {
  for (let attempt = 1; ; attempt++) {
    const answer = await askOnce(parts, run, model, request, calls.next(), signal);
    signal.throwIfAborted();
    const { stop, error } = answer.end;
    if (stop !== 'error' && stop !== 'aborted') return answer;
    const delay = error && retryDelayMs(error, attempt, Math.random);
    if (delay === undefined) throw new Error(error?.message ?? 'the stream ended without a reason');
    await parts.sleep(delay, signal);
  }
}

async function askOnce(
  parts: RunParts,
  run: OpenRun,
  writer: Model,
  request: ModelRequest,
  call: number,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly end: ModelEnd }> {
  // A limit may let a cheaper model write it, or none.
  const { model, wire } = await reserveCall(parts, run, { model: writer, request }, async ({ writes }) => {
    if (writes.length > 0) await run.ledger.commitApart('spend', writes);
  });
  const { provider } = model;
  const { runId } = run;
  // The request is stored with the next commit, because every request to a model can be shown again.
  for (const write of parts.capture({ runId, call, at: parts.now(), provider, model: model.model, wire })) {
    run.ledger.attach(write);
  }
  const startedAt = parts.now();
  const exchange = exchangeOf(parts, run, model, `${run.attempt}.summary.${call}`);
  const { system, messages } = request;
  void parts.tell('model-called', { ...exchange, call, body: wire.body, sentBytes: sentBytes(wire), system, messages });
  let text = '';
  let end: ModelEnd = { type: 'end', stop: 'error', usage: NO_USAGE };
  let firstByteAt: number | undefined;
  for await (const event of model.stream(wire, signal)) {
    firstByteAt ??= parts.now();
    if (event.type === 'text-delta') text += event.text;
    else if (event.type === 'end') end = event;
  }
  keepUsage(parts, run, model, end.usage, 'compaction');
  settleCall(run, { model, wire, end, heard: text });
  warnOfNotes(parts, run, model, end);
  const ms = parts.now() - startedAt;
  void parts.tell('model-ended', modelEnd(exchange, { call, wire, end, text, ms, startedAt, firstByteAt }));
  return { text: text.trim(), end };
}

/** Numbers the requests, after those that an earlier attempt of the run has stored. */
class SummaryCalls {
  #last: number;

  constructor(kept: number) {
    this.#last = kept;
  }

  next(): number {
    this.#last += 1;
    return callOfSummary(this.#last);
  }
}
