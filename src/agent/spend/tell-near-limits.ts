// Tells the operator that a limit is near, once for each limit and period. That it was told is stored first: a crash in
// between loses the sentence in the log, and the status goes on to show how much is spent.
// Errors: none; a store that cannot be written only means that it is told later.

import type { RunParts } from '../run-parts.ts';
import { describeAnew, describeLimit, describeSpent, shareOf } from './describe-spending.ts';
import type { RunSpending } from './run-spending.ts';
import { readCounters, type SpendCounter } from './spend-counters.ts';

export interface TellingRun {
  readonly runId: string;
  readonly sessionKey: string;
  readonly spending: RunSpending;
}

type TellingParts = Pick<RunParts, 'store' | 'spend' | 'now' | 'tell' | 'warn'>;

export async function tellNearLimits(
  parts: TellingParts,
  run: Pick<TellingRun, 'runId' | 'sessionKey'>,
  counters: readonly SpendCounter[],
): Promise<void> {
  for (const counter of counters) {
    const { limit, row, isStored } = counter;
    if (!isStored || row.warnedAt !== null || shareOf(limit, row) < limit.warnAt) continue;
    if (await isFirst(parts, counter)) tell(parts, run, counter);
  }
}

/** The same after a run, whose calls may have brought a limit near. */
export async function tellNearLimitsAfter(parts: TellingParts, run: TellingRun): Promise<void> {
  const settings = parts.spend();
  if (!settings) return;
  try {
    const counters = await readCounters(parts.store, settings, await run.spending.spender(), parts.now());
    await tellNearLimits(parts, run, counters);
  } catch {
    // The gateway is stopping, and the next run tells it.
  }
}

async function isFirst({ store, now }: TellingParts, { row }: SpendCounter): Promise<boolean> {
  const { subject, per, period } = row;
  const where = { subject, per, period, warnedAt: null };
  const noted = await store
    .commit([{ update: 'spending', where, set: { warnedAt: now() } }], { site: 'spend', lazy: true })
    .catch(() => undefined);
  return noted?.changed[0] === 1;
}

function tell(
  parts: TellingParts,
  { runId, sessionKey }: Pick<TellingRun, 'runId' | 'sessionKey'>,
  counter: SpendCounter,
): void {
  const { limit, row, period } = counter;
  const timezone = parts.spend()?.timezone ?? 'UTC';
  const percent = Math.floor(shareOf(limit, row) * 100);
  const text = `${percent} % of ${describeLimit(limit, row.subject)} is spent: ${describeSpent(limit, row)}. It begins anew ${describeAnew(period, timezone)}.`;
  parts.warn(text);
  void parts.tell('limit-neared', { runId, sessionKey, setting: limit.setting, text });
}
