// What was spent against the limits on spending.

import type { SpendReport, UsageDay } from '../client/operator-client.ts';
import { formatClock, formatCount } from '../view/format.ts';
import { Link } from '../view/link.tsx';
import { Block } from './block.tsx';

export interface SpendLimitsProps extends Pick<SpendReport, 'limits'> {
  /** What providers have counted, by day. */
  readonly days: readonly UsageDay[];
}

export function SpendLimits({ limits, days }: SpendLimitsProps) {
  return (
    <Block
      title="Spend against limits"
      empty={
        limits.length === 0 && (
          <>
            {'There is no limit. Set one in '}
            <Link to={{ page: 'operations', part: 'settings', setting: 'limits.spend' }}>
              the settings, limits.spend
            </Link>
            .
          </>
        )
      }
    >
      <ul class="cards">
        {limits.map((limit) => (
          <li key={limit.setting} class="limit">
            <header>
              <b>{`${amountOf(limit.money, limit.tokens)} per ${limit.per}`}</b>
              <span class="soft">{scopeOf(limit)}</span>
            </header>
            {limit.counters.length === 0 && <p class="soft">Nothing was spent in this period.</p>}
            {limit.counters.map(({ period, share, agent, session, sender, ...spent }) => (
              <div key={`${period} ${agent} ${session} ${sender}`}>
                <div
                  class="share"
                  role="img"
                  aria-label={`${Math.round(100 * share)} % of ${limit.setting} is spent`}
                  data-level={share >= 1 ? 'over' : share >= limit.warnAt ? 'near' : 'fine'}
                >
                  <i style={{ width: `${Math.min(100, 100 * share)}%` }} />
                </div>
                <p class="soft figures-line">
                  <span>{`${amountOf(limit.money === null ? null : spent.spentMoney, spent.spentTokens)} · ${Math.round(100 * share)} %`}</span>
                  <span>{[agent, session, sender, period].filter(Boolean).join(' · ')}</span>
                </p>
                <Estimated limit={limit} spent={spent.spentMoney} day={days.find(({ key }) => key === period)} />
              </div>
            ))}
            <p class="soft">
              {[
                limit.until !== null && `begins anew ${formatClock(limit.until)}`,
                limit.cheaper === null ? 'then calls are refused' : `then ${limit.cheaper} answers`,
                limit.more > 0 && `${limit.more} more counters`,
              ]
                .filter(Boolean)
                .join(' · ')}
            </p>
          </li>
        ))}
      </ul>
    </Block>
  );
}

interface EstimatedProps {
  readonly limit: SpendReport['limits'][number];
  readonly spent: number;
  readonly day: UsageDay | undefined;
}

/** A limit also counts calls that broke off, by an estimate. "Tokens by day" has only what providers have counted. */
function Estimated({ limit: { agent, session, sender, per, money }, spent, day }: EstimatedProps) {
  const isAll = !agent && !session && !sender && per === 'day' && money !== null;
  const rest = isAll && day?.cost != null ? spent - day.cost : 0;
  if (rest < 0.00005) return null;
  return (
    <p class="soft">
      {`${rest.toFixed(4)} of it is an estimate, for calls that broke off or whose provider did not say what it counted.`}
    </p>
  );
}

/** A star stands for each one. */
function scopeOf({ agent, session, sender }: SpendReport['limits'][number]): string {
  const named = [
    agent && (agent === '*' ? 'each agent' : agent),
    session && (session === '*' ? 'each session' : session),
    sender && (sender === '*' ? 'each sender' : sender),
  ];
  return named.filter(Boolean).join(' · ') || 'everything together';
}

function amountOf(money: number | null, tokens: number | null): string {
  return money === null ? `${formatCount(tokens ?? 0)} tokens` : money.toFixed(money < 1 ? 4 : 2);
}
