// The counters in which a call is counted: one for each limit that concerns it, with what it has come to. A counter that
// does not exist yet begins with what the calls of its period have cost, as far as it can be known from their usage: a
// limit that is set in the middle of a month counts the whole month.

import { billionthsOf } from '../../protocol/money.ts';
import { type SpendLimit, type SpendSettings, subjectOf } from '../../protocol/spend-limit.ts';
import { type SpendPeriod, spendPeriodOf } from '../../protocol/spend-period.ts';
import type { Store, Where } from '../../store/store.ts';
import type { SpendingRow, UsageRow } from '../../store/tables.ts';
import type { RunSpender } from './read-spender.ts';

export interface SpendCounter {
  readonly limit: SpendLimit;
  readonly period: SpendPeriod;
  readonly row: SpendingRow;
  /** False when the row must be inserted first. */
  readonly isStored: boolean;
}

export async function readCounters(
  store: Store,
  { limits, timezone }: SpendSettings,
  spender: RunSpender,
  at: number,
): Promise<readonly SpendCounter[]> {
  const counters: SpendCounter[] = [];
  for (const limit of limits) {
    const subject = subjectOf(limit, spender);
    if (subject === undefined) continue;
    const period = spendPeriodOf(limit.per, at, timezone, spender);
    const key = { subject, per: limit.per, period: period.period };
    const [stored] = await store.select('spending', { where: key, limit: 1 });
    const row = stored ?? {
      ...key,
      since: period.since,
      ...EMPTY,
      ...(await usedBefore(store, limit, spender, period)),
    };
    counters.push({ limit, period, row, isStored: stored !== undefined });
  }
  return counters;
}

/** The counters that a limit of a calendar period would begin with, for everybody who made a call in it. */
export async function countersBefore(
  store: Store,
  limit: SpendLimit,
  { period, since }: SpendPeriod,
): Promise<readonly SpendingRow[]> {
  if (limit.sender !== undefined) return [];
  const rows = new Map<string, SpendingRow>();
  await eachUsage(store, { at: { gte: since } }, (used) => {
    const subject = subjectOf(limit, { agent: used.agentId, session: used.sessionKey, sender: '' });
    if (subject === undefined) return;
    const row = rows.get(subject) ?? { subject, per: limit.per, period, since, ...EMPTY };
    rows.set(subject, { ...row, ...withUsage(row, used) });
  });
  return [...rows.values()];
}

const EMPTY = { money: 0, tokens: 0, reservedMoney: 0, reservedTokens: 0, unpriced: 0, warnedAt: null };

/** The rows of usage do not say for whom a call was made, so a limit for senders begins with nothing. */
async function usedBefore(
  store: Store,
  { agent, session, sender, per }: SpendLimit,
  spender: RunSpender,
  { since }: SpendPeriod,
): Promise<UsedSum> {
  let sum: UsedSum = { money: 0, tokens: 0, unpriced: 0 };
  if (sender !== undefined) return sum;
  const where: Where<'usage'> = {
    ...(agent === undefined ? {} : { agentId: spender.agent }),
    ...(session === undefined ? {} : { sessionKey: spender.session }),
    ...(per === 'session' ? { sessionId: spender.sessionId } : {}),
    at: { gte: since },
  };
  await eachUsage(store, where, (used) => {
    sum = withUsage(sum, used);
  });
  return sum;
}

type UsedSum = Pick<SpendingRow, 'money' | 'tokens' | 'unpriced'>;

function withUsage(sum: UsedSum, { cost, input, output }: UsageRow): UsedSum {
  return {
    money: sum.money + (cost === null ? 0 : billionthsOf(cost)),
    unpriced: sum.unpriced + (cost === null ? 1 : 0),
    tokens: sum.tokens + input + output,
  };
}

async function eachUsage(store: Store, where: Where<'usage'>, visit: (row: UsageRow) => void): Promise<void> {
  for (let after = 0; ; ) {
    const page = await store.select('usage', {
      where: { ...where, seq: { gt: after } },
      orderBy: [['seq', 'asc']],
      limit: PAGE_ROWS,
    });
    for (const row of page) visit(row);
    if (page.length < PAGE_ROWS) return;
    after = page.at(-1)?.seq ?? after;
  }
}

const PAGE_ROWS = 1_000;
