// Reserves what a call to a model may cost at most, before it is made, in the commit that stores its request. The check
// and the reservation are one commit with ceilings, so that calls at the same time cannot pass a limit together. When
// there is no room for the chosen model, the cheaper one of the limit is taken, or the call is refused.
// Errors: SpendLimitError and UnknownPriceError, before anything is stored; else those of the commit. Without limits it
// only prepares the request.

import { estimateTokens } from '../../context/budget/estimate-tokens.ts';
import { answerLimit } from '../../models/answer-limit.ts';
import { AnswerWishError } from '../../models/errors.ts';
import type { Model, ModelRequest, WireRequest } from '../../models/model.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { ModelPrices } from '../../protocol/model-prices.ts';
import type { ModelRef } from '../../protocol/model-ref.ts';
import type { SpendSettings } from '../../protocol/spend-limit.ts';
import { CeilingPassedError } from '../../store/errors.ts';
import type { Write } from '../../store/store.ts';
import type { ReservationRow } from '../../store/tables.ts';
import type { OpenRun } from '../open-run.ts';
import { TOKENS_OF_IMAGE } from '../request-text.ts';
import type { RunParts } from '../run-parts.ts';
import { describeLimit } from './describe-spending.ts';
import { type CallSize, callSizeOf, hasRoom, nameOf, refusalOf, reservationOf, writesOf } from './room-for-call.ts';
import { readCounters } from './spend-counters.ts';
import { tellNearLimits } from './tell-near-limits.ts';

export type SpendParts = Pick<RunParts, 'store' | 'models' | 'spend' | 'now' | 'tell' | 'warn'>;
export type ReservingRun = Pick<OpenRun, 'runId' | 'sessionKey' | 'agentId' | 'spending'>;

export interface ReservedCall {
  /** The model that is called: the chosen one, or a cheaper one. */
  readonly model: Model;
  readonly wire: WireRequest;
  /** These must be part of the commit that stores the request; none without limits. */
  readonly writes: readonly Write[];
  /** Why it is not the chosen model, in one sentence. */
  readonly because?: string | undefined;
}

export async function reserveCall(
  parts: SpendParts,
  run: ReservingRun,
  { model, request }: { readonly model: Model; readonly request: ModelRequest },
  commit: (call: ReservedCall) => Promise<void>,
): Promise<ReservedCall> {
  const settings = parts.spend();
  if (!settings) {
    const call = { model, wire: await model.prepare(request), writes: [] };
    await commit(call);
    return call;
  }
  const prepare = (each: Model) => (each === model ? each.prepare(request) : preparedFor(each, request));
  return commitWithRoom(parts, run, { settings, model, limits: request, prepare }, commit);
}

/**
 * For a stored request that is sent once more, after the call before it was settled. The bytes stay the same, so a limit
 * that has no room for its model refuses it.
 */
export async function reserveAgain(
  parts: SpendParts,
  run: ReservingRun,
  { model, wire }: { readonly model: Model; readonly wire: WireRequest },
  commit: (writes: readonly Write[]) => Promise<void>,
): Promise<void> {
  const settings = parts.spend();
  if (!settings || run.spending.held) return;
  const prepare = async (each: Model) => (each === model ? wire : undefined);
  await commitWithRoom(parts, run, { settings, model, limits: {}, prepare }, ({ writes }) => commit(writes));
}

interface WantedCall {
  readonly settings: SpendSettings;
  readonly model: Model;
  /** What the request says about the most tokens of the answer. */
  readonly limits: Pick<ModelRequest, 'maxOutputTokens' | 'wishes'>;
  /** Undefined for a model that cannot be used for the request. */
  readonly prepare: (model: Model) => Promise<WireRequest | undefined>;
}

async function commitWithRoom(
  parts: SpendParts,
  run: ReservingRun,
  wanted: WantedCall,
  commit: (call: ReservedCall) => Promise<void>,
): Promise<ReservedCall> {
  for (let tries = 1; ; tries++) {
    const { reservation, ...call } = await admit(parts, run, wanted);
    try {
      await commit(call);
    } catch (error) {
      // Another call has taken the room since the counters were read, so it is decided again with what they hold now.
      if (error instanceof CeilingPassedError && tries < MOST_TRIES) continue;
      throw error;
    }
    run.spending.hold(reservation);
    return call;
  }
}

/** Each time another call was faster; with so many of them there is no room left. */
export const MOST_TRIES = 20;

interface AdmittedCall extends ReservedCall {
  readonly reservation: ReservationRow;
}

async function admit(parts: SpendParts, run: ReservingRun, wanted: WantedCall): Promise<AdmittedCall> {
  const { settings, model: chosen } = wanted;
  const at = parts.now();
  const counters = await readCounters(parts.store, settings, await run.spending.spender(), at);
  void tellNearLimits(parts, run, counters);
  const own = run.spending.held;
  const chosenWire = await wanted.prepare(chosen);
  if (!chosenWire) throw new Error('the chosen model has no request');
  let [model, wire, because]: [Model, WireRequest, string | undefined] = [chosen, chosenWire, undefined];
  const tried = new Set([nameOf(chosen)]);
  for (;;) {
    const size = sizeOf(wire, model, wanted.limits, settings);
    const full = counters.find((counter) => !hasRoom(counter, size, own));
    if (!full) {
      const reservation = reservationOf(run.runId, at, model, size, counters);
      return { model, wire, because, reservation, writes: writesOf(counters, size, reservation, own) };
    }
    const { cheaper } = full.limit;
    const next = cheaper && !tried.has(nameOf(cheaper)) ? await usable(parts, cheaper, run.agentId) : undefined;
    const nextWire = next && (await wanted.prepare(next));
    if (!next || !nextWire) throw refusalOf(full, size, own, settings, model);
    tried.add(nameOf(next));
    because = `${nameOf(next)} answers instead of ${nameOf(chosen)}, because ${describeLimit(full.limit, full.row.subject)} has no room for it.`;
    [model, wire] = [next, nextWire];
  }
}

/** The length of the body counts, with its marks and names, so that the estimate is rather too high than too low. */
function sizeOf(
  wire: WireRequest,
  model: Model,
  limits: WantedCall['limits'],
  { answerTokens }: SpendSettings,
): CallSize {
  const input = estimateInput(wire);
  const output = answerLimit(limits, model.maxTokens) ?? answerTokens;
  return callSizeOf({ input, output }, pricesOf(model));
}

export function estimateInput({ body, images = [] }: WireRequest): number {
  return estimateTokens(body) + images.length * TOKENS_OF_IMAGE;
}

/** The built-in model costs nothing, although no configuration says so. */
export function pricesOf({ api, prices }: Pick<Model, 'api' | 'prices'>): ModelPrices | undefined {
  return api === 'mirror' ? FREE : prices;
}

const FREE: ModelPrices = { input: 0, output: 0 };

/** Undefined for a model that cannot be told what the client of the API wishes. */
async function preparedFor(model: Model, request: ModelRequest): Promise<WireRequest | undefined> {
  try {
    return await model.prepare(request);
  } catch (error) {
    if (error instanceof AnswerWishError) return undefined;
    throw error;
  }
}

/** The agent may have a key for it that the others have not. */
async function usable({ models }: SpendParts, ref: ModelRef, agentId: string) {
  try {
    return await models.model(ref, agentId);
  } catch (error) {
    if (isAtriumError(error)) return undefined;
    throw error;
  }
}
