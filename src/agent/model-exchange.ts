// One exchange with a provider, in the form that facts use: the model, how much of its window the run may use, and how
// the exchange ended.

import type { Facts, ModelStep } from '../facts/facts.ts';
import { costOf } from '../models/cost-of.ts';
import type { Model, ModelEnd, WireRequest } from '../models/model.ts';
import { sentBytes } from '../models/wire-images.ts';
import type { RecordedModelCall } from '../protocol/recorded-fact.ts';
import { idsOf } from './ids-of.ts';
import { contextWindowFor } from './model-context.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';

export interface Exchange extends ModelStep {
  readonly model: Model;
}

/** `step` differs for each request to a provider within a run. */
export function exchangeOf(parts: RunParts, run: OpenRun, model: Model, step: string): Exchange {
  return { run, model, window: contextWindowFor(model, parts.compaction(run.agentId)), step };
}

/** The operator can mend a provider's server, so the log says what it gets wrong, in one line for each answer. */
export function warnOfNotes({ warn }: RunParts, run: OpenRun, { provider, model }: Model, end: ModelEnd): void {
  if (end.notes?.length) warn(`The model ${provider}/${model} (run ${run.runId}): ${end.notes.join(' ')}`, idsOf(run));
}

export function modelEnd(
  exchange: Exchange,
  ended: {
    readonly call: number;
    readonly wire: WireRequest;
    readonly end: ModelEnd;
    readonly text: string;
    readonly thinking?: string | undefined;
    readonly toolCalls?: RecordedModelCall['toolCalls'];
    readonly ms: number;
    readonly startedAt: number;
    readonly firstByteAt: number | undefined;
  },
): Facts['model-ended'] {
  const { call, wire, end, text, thinking, toolCalls, ms, startedAt, firstByteAt } = ended;
  const { stop, usage, error } = end;
  const timeToFirstByteMs = firstByteAt === undefined ? undefined : firstByteAt - startedAt;
  return {
    ...exchange,
    completed: {
      call,
      stop,
      usage,
      cost: costOf(usage, exchange.model.prices),
      ms,
      firstByteMs: timeToFirstByteMs,
      text,
      thinking,
      toolCalls,
      error: error?.message,
    },
    end,
    sentBytes: sentBytes(wire),
    timeToFirstByteMs,
  };
}
