// One exchange with a provider, in the form that facts use: the model, how much of its window the run may use, and how
// the exchange ended.

import type { Facts, ModelStep } from '../facts/facts.ts';
import { costOf } from '../models/cost-of.ts';
import type { Model, ModelEnd, WireRequest } from '../models/model.ts';
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

export function modelEnd(
  exchange: Exchange,
  ended: {
    readonly call: number;
    readonly wire: WireRequest;
    readonly end: ModelEnd;
    readonly text: string;
    readonly ms: number;
    readonly startedAt: number;
    readonly firstByteAt: number | undefined;
  },
): Facts['model-ended'] {
  const { call, wire, end, text, ms, startedAt, firstByteAt } = ended;
  const { stop, usage, error } = end;
  return {
    ...exchange,
    completed: { call, stop, usage, cost: costOf(usage, exchange.model.prices), ms, text, error: error?.message },
    end,
    body: wire.body,
    timeToFirstByteMs: firstByteAt === undefined ? undefined : firstByteAt - startedAt,
  };
}
