// `atrium usage`: what model calls have cost, by day, agent, session, model or run.

import { readConfig } from '../config/load-config.ts';
import { CATALOG_DATE } from '../config/model-catalog/catalog-source.ts';
import { resolveTimezone } from '../config/timezone.ts';
import { BadFlagError } from '../gateway/errors.ts';
import { type CounterStatus, describeWho, type LimitStatus, type SpendReport } from '../gateway/services/spending.ts';
import { USAGE_GROUPINGS, type UsageGroup, type UsageGrouping, type UsageReport } from '../gateway/services/usage.ts';
import { countOf } from '../protocol/count-of.ts';
import { billionthsOf, formatMoney } from '../protocol/money.ts';
import { formatCost } from '../protocol/usage.ts';
import { checkFilter } from './check-filter.ts';
import { command } from './command.ts';
import { type Columns, formatTable } from './output/format-table.ts';
import { parseSince, SINCE_TEXT } from './parse-since.ts';

export const usage = command({
  path: 'usage',
  summary: 'show the tokens and the cost of model calls',
  options: {
    '--by <what>': { text: 'sum up by day, agent, session, model or run', default: 'day', parse: groupingOf },
    '--since <when>': `only from then on: ${SINCE_TEXT}`,
    '--agent <id>': 'only of this agent',
    '--session <key>': 'only of this session',
  },
  about: `Costs are known where models.providers or the built-in catalog (prices of ${CATALOG_DATE}) has prices for a model; elsewhere they are unknown and not counted. Below stand the limits on spending (limits.spend), with what is spent and reserved of each in its current period. By session or run, a line also says what it comes to with its subagents, which have lines of their own; the total counts every call once.`,
  examples: ['usage --since 7d', 'usage --by model --agent main', 'usage --by day --json | jq .total'],
  needs: 'reading',
  async run({ by, since, agent, session }, { client, io }) {
    const config = await readConfig({ environment: io.environment });
    const timezone = resolveTimezone(config, io.environment);
    const from = since === undefined ? undefined : parseSince(since, io.now().getTime(), timezone);
    const report = await client.get<UsageReport>('/api/usage', { by, timezone, since: from, agent, session });
    if (report.total.calls === 0) await checkFilter({ agent, session }, client, io);
    const { limits } = await client.get<SpendReport>('/api/usage/limits');
    return {
      json: { ...report, limits },
      text: (width) => formatUsage(report, width) + formatLimits(limits, width),
    };
  },
});

function groupingOf(text: string): UsageGrouping {
  const by = USAGE_GROUPINGS.find((each) => each === text.trim().toLowerCase());
  if (by) return by;
  throw new BadFlagError({ flag: '--by', value: text, expected: USAGE_GROUPINGS.join(', ') });
}

function formatUsage({ by, groups, others, total, totalWithSubagents }: UsageReport, width: number): string {
  if (total.calls === 0 && totalWithSubagents === null) return 'No model was called in that time.\n';
  const lines = [
    ...groups,
    ...(others ? [{ ...others, key: 'others', lastAt: 0, withSubagents: null }] : []),
    { ...total, key: 'total', lastAt: 0, withSubagents: totalWithSubagents },
  ];
  const hasSubagents = lines.some(({ withSubagents }) => withSubagents !== null);
  const columns: Columns<UsageGroup> = {
    [by]: ({ key }) => key,
    calls: ({ calls }) => calls,
    in: ({ input }) => input,
    cached: ({ cacheRead }) => cacheRead,
    out: ({ output }) => output,
    cost: formatCost,
    ...(hasSubagents
      ? { 'with subagents': ({ withSubagents }) => (withSubagents ? formatCost(withSubagents) : '') }
      : {}),
  };
  return formatTable(lines, columns, width);
}

interface LimitLine extends CounterStatus {
  readonly limit: LimitStatus;
}

/** One line for each counter, the fullest of each limit first. */
function formatLimits(limits: readonly LimitStatus[], width: number): string {
  if (limits.length === 0) return '';
  const lines = limits.flatMap((limit): LimitLine[] =>
    limit.counters.length === 0
      ? [{ ...UNUSED, agent: limit.agent, session: limit.session, sender: limit.sender, limit }]
      : limit.counters.map((counter) => ({ ...counter, limit })),
  );
  const columns: Columns<LimitLine> = {
    limit: ({ limit }) => limit.setting,
    of: describeWho,
    per: ({ limit, period }) => (period === '' ? limit.per : `${limit.per} ${period}`),
    spent: ({ limit, spentMoney, spentTokens }) => amountsOf(limit, spentMoney, spentTokens),
    reserved: ({ limit, reservedMoney, reservedTokens }) => amountsOf(limit, reservedMoney, reservedTokens),
    limited: ({ limit }) => amountsOf(limit, limit.money ?? 0, limit.tokens ?? 0),
    share: ({ share }) => `${barOf(share)} ${Math.floor(share * 100)} %`,
    ...(lines.some(({ unpriced }) => unpriced > 0)
      ? {
          unpriced: ({ unpriced }: LimitLine) => (unpriced === 0 ? '' : `${countOf(unpriced, 'call')} of unknown cost`),
        }
      : {}),
  };
  const more = limits
    .filter((limit) => limit.more > 0)
    .map(({ setting, more: count }) => `${setting} has ${count} more.\n`);
  return `\n${formatTable(lines, columns, width)}${more.join('')}`;
}

const UNUSED: CounterStatus = {
  ...{ agent: null, session: null, sender: null, period: '' },
  ...{ spentMoney: 0, spentTokens: 0, reservedMoney: 0, reservedTokens: 0, unpriced: 0, share: 0 },
};

function amountsOf({ money, tokens }: LimitStatus, ofMoney: number, ofTokens: number): string {
  return [
    ...(money === null ? [] : [formatMoney(billionthsOf(ofMoney))]),
    ...(tokens === null ? [] : [`${ofTokens.toLocaleString('en-US')} tokens`]),
  ].join(', ');
}

const BAR_CELLS = 10;

function barOf(share: number): string {
  const filled = Math.min(BAR_CELLS, Math.round(share * BAR_CELLS));
  return '#'.repeat(filled) + '.'.repeat(BAR_CELLS - filled);
}
