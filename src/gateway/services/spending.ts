// What the limits on spending have come to: every limit with its counters of the current period, the fullest first. Reads
// only. A counter in which nothing was counted yet has no line, but for a limit that is new in its period.

import { shareOf } from '../../agent/spend/describe-spending.ts';
import { countersBefore } from '../../agent/spend/spend-counters.ts';
import { BILLIONTHS } from '../../protocol/money.ts';
import {
  isSubjectOf,
  parseSubject,
  type SpendLimit,
  type SpendScope,
  type SpendSettings,
} from '../../protocol/spend-limit.ts';
import { calendarPeriodOf } from '../../protocol/spend-period.ts';
import type { Store } from '../../store/store.ts';
import type { SpendingRow } from '../../store/tables.ts';

export interface SpendReport {
  readonly timezone: string;
  readonly limits: readonly LimitStatus[];
}

export interface LimitStatus {
  /** Where the limit is written, such as `limits.spend[0]`. */
  readonly setting: string;
  readonly agent: string | null;
  readonly session: string | null;
  readonly sender: string | null;
  readonly per: SpendLimit['per'];
  readonly money: number | null;
  readonly tokens: number | null;
  readonly warnAt: number;
  /** `provider/model` of the model that answers when there is no room; null where calls are refused. */
  readonly cheaper: string | null;
  /** When the period ends; null for sessions. */
  readonly until: number | null;
  /** The fullest first, at most MOST_COUNTERS. */
  readonly counters: readonly CounterStatus[];
  /** How many more counters the period has. */
  readonly more: number;
}

/** What was spent under a limit. Money is in the currency of the prices. */
export interface CounterStatus {
  readonly agent: string | null;
  readonly session: string | null;
  readonly sender: string | null;
  readonly period: string;
  readonly spentMoney: number;
  readonly spentTokens: number;
  /** What calls that are being made may still cost. */
  readonly reservedMoney: number;
  readonly reservedTokens: number;
  /** Calls of unknown price, which are not part of the money. */
  readonly unpriced: number;
  /** The share of the limit that is spent, without what is reserved. */
  readonly share: number;
}

export const MOST_COUNTERS = 50;
/** Sessions have no common period, so only the latest ones are looked at. */
const MOST_SESSIONS = 500;

export async function readSpending(
  store: Store,
  settings: SpendSettings | undefined,
  now: number,
): Promise<SpendReport> {
  if (!settings) return { timezone: 'UTC', limits: [] };
  const limits: LimitStatus[] = [];
  for (const limit of settings.limits) limits.push(await readLimit(store, limit, settings.timezone, now));
  return { timezone: settings.timezone, limits };
}

async function readLimit(store: Store, limit: SpendLimit, timezone: string, now: number): Promise<LimitStatus> {
  const { setting, per, money = null, tokens = null, warnAt, cheaper } = limit;
  const current = per === 'session' ? undefined : calendarPeriodOf(per, now, timezone);
  const rows = await store.select('spending', {
    where: { per, period: current?.period },
    orderBy: [['since', 'desc']],
    ...(current ? {} : { limit: MOST_SESSIONS }),
  });
  const stored = rows.filter(({ subject }) => isSubjectOf(limit, subject));
  // A limit that was set in the middle of its period counts all of it, and has no counter before its first call.
  const counted = stored.length > 0 || !current ? stored : await countersBefore(store, limit, current);
  const counters = counted.map((row) => counterOf(limit, row)).sort((a, b) => b.share - a.share);
  return {
    setting,
    ...namesOf(limit),
    per,
    money,
    tokens,
    warnAt,
    cheaper: cheaper ? `${cheaper.provider}/${cheaper.model}` : null,
    until: current?.until ?? null,
    counters: counters.slice(0, MOST_COUNTERS),
    more: Math.max(0, counters.length - MOST_COUNTERS),
  };
}

function counterOf(limit: SpendLimit, row: SpendingRow): CounterStatus {
  const { subject, period, money, tokens, reservedMoney, reservedTokens, unpriced } = row;
  return {
    ...namesOf(parseSubject(subject)),
    period,
    spentMoney: money / BILLIONTHS,
    spentTokens: tokens,
    reservedMoney: reservedMoney / BILLIONTHS,
    reservedTokens,
    unpriced,
    share: shareOf(limit, row),
  };
}

function namesOf({
  agent = null,
  session = null,
  sender = null,
}: { [Name in keyof SpendScope]?: string | null | undefined }) {
  return { agent, session, sender };
}

/** One sentence for each counter that has come near its limit, or to it. */
export function describeNearLimits({ limits }: SpendReport): readonly string[] {
  return limits.flatMap((limit) =>
    limit.counters
      .filter(({ share }) => share >= limit.warnAt)
      .map(
        (counter) =>
          `${Math.floor(counter.share * 100)} % of ${limit.setting} is spent (${describeWho(counter)}, ${counter.period}); "atrium usage" shows it.`,
      ),
  );
}

/** `agent main, sender telegram:4711`, or `all` for a limit that counts all together. */
export function describeWho({ agent, session, sender }: Pick<CounterStatus, 'agent' | 'session' | 'sender'>): string {
  const named = [agent && `agent ${agent}`, session && `session ${session}`, sender && `sender ${sender}`].filter(
    Boolean,
  );
  return named.length === 0 ? 'all' : named.join(', ');
}
