// The limits that concern a conversation, in one line each for its chat: what is spent, of how much, and until when.

import { describeScope, parseSubject, type SpendSettings } from '../../protocol/spend-limit.ts';
import type { Store } from '../../store/store.ts';
import { describeAnew, describeSpent, shareOf } from './describe-spending.ts';
import { readSpender, type SpendingRun } from './read-spender.ts';
import { readCounters } from './spend-counters.ts';

export async function describeLimitsFor(
  store: Store,
  settings: SpendSettings | undefined,
  run: SpendingRun,
  now: number,
): Promise<readonly string[]> {
  if (!settings) return [];
  const counters = await readCounters(store, settings, await readSpender(store, run), now);
  return counters.map(({ limit, row, period }) => {
    const unknown = row.unpriced === 0 ? '' : ` and ${row.unpriced} of unknown cost`;
    return `${describeSpent(limit, row)} spent per ${limit.per} for ${describeScope(parseSubject(row.subject))} (${Math.floor(shareOf(limit, row) * 100)} %${unknown}); anew ${describeAnew(period, settings.timezone)}`;
  });
}
