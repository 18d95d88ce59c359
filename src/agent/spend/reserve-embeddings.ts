// Reserves what embeddings may cost at most, before they are asked for. They belong to no run: their request is not stored,
// and after a crash they are not asked for again. So what was reserved for a call that was cut is charged as a whole at the next start.
// Errors: SpendLimitError and UnknownPriceError, before anything is sent; else those of the commit.

import type { ModelPrices } from '../../protocol/model-prices.ts';
import type { ModelRef } from '../../protocol/model-ref.ts';
import { goesOn } from '../../protocol/owned-id.ts';
import { CeilingPassedError } from '../../store/errors.ts';
import type { Store } from '../../store/store.ts';
import type { ReservationRow } from '../../store/tables.ts';
import type { RunSpender } from './read-spender.ts';
import { MOST_TRIES, type SpendParts } from './reserve-call.ts';
import { callSizeOf, hasRoom, refusalOf, reservationOf, writesOf } from './room-for-call.ts';
import { planCutCall } from './run-spending.ts';
import { readCounters } from './spend-counters.ts';
import { tellNearLimits } from './tell-near-limits.ts';

export interface EmbeddingsCall {
  /** It begins with `emb_`. */
  readonly id: string;
  readonly model: ModelRef;
  readonly prices: ModelPrices | undefined;
  /** The most tokens that the texts may be. */
  readonly tokens: number;
  readonly spender: RunSpender;
}

/** Undefined when there are no limits. */
export async function reserveEmbeddings(
  parts: Omit<SpendParts, 'models'>,
  { id, model, prices, tokens, spender }: EmbeddingsCall,
): Promise<ReservationRow | undefined> {
  const settings = parts.spend();
  if (!settings) return undefined;
  const size = callSizeOf({ input: tokens, output: 0 }, prices);
  for (let tries = 1; ; tries++) {
    const at = parts.now();
    const counters = await readCounters(parts.store, settings, spender, at);
    void tellNearLimits(parts, { runId: id, sessionKey: spender.session }, counters);
    const full = counters.find((counter) => !hasRoom(counter, size, undefined));
    if (full) throw refusalOf(full, size, undefined, settings, model);
    const reservation = reservationOf(id, at, model, size, counters);
    try {
      await parts.store.commit(writesOf(counters, size, reservation, undefined), { site: 'spend' });
      return reservation;
    } catch (error) {
      if (!(error instanceof CeilingPassedError) || tries >= MOST_TRIES) throw error;
    }
  }
}

/**
 * Charges what was reserved for calls that were cut. Without `isAlive` no call is being made, because this process has just
 * become the owner of the store; with it, the calls of nodes that are alive go on.
 */
export async function chargeCutEmbeddings(store: Store, isAlive?: (node: string) => boolean): Promise<void> {
  for (const { runId } of await store.select('reservations', {})) {
    if (!runId.startsWith('emb_') || goesOn(runId, isAlive)) continue;
    await store.commit(await planCutCall(store, runId), { site: 'spend' });
  }
}
