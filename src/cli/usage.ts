// `atrium usage`: what model calls have cost, by day, agent, session, model or run.

import { loadConfig } from '../config/load-config.ts';
import { resolveTimezone } from '../config/timezone.ts';
import { BadFlagError } from '../gateway/errors.ts';
import { USAGE_GROUPINGS, type UsageGroup, type UsageGrouping, type UsageReport } from '../gateway/services/usage.ts';
import { lastDailyBoundary } from '../protocol/last-daily-boundary.ts';
import { formatCost } from '../protocol/usage.ts';
import { command } from './command.ts';
import { type Columns, formatTable } from './output/format-table.ts';

export const usage = command({
  path: 'usage',
  summary: 'show the tokens and the cost of model calls',
  options: {
    '--by <what>': { text: 'sum up by day, agent, session, model or run', default: 'day', parse: groupingOf },
    '--since <when>': 'only from then on: "today", "24h", "7d" or a date such as 2026-05-01',
    '--agent <id>': 'only of this agent',
    '--session <key>': 'only of this session',
  },
  about: 'Costs are known where models.providers has prices for a model; elsewhere they are unknown.',
  examples: ['usage --since 7d', 'usage --by model --agent main', 'usage --by day --json | jq .total'],
  needs: 'reading',
  async run({ by, since, agent, session }, { client, io }) {
    const { config } = await loadConfig({ environment: io.environment });
    const timezone = resolveTimezone(config, io.environment);
    const from = since === undefined ? undefined : parseSince(since, io.now().getTime(), timezone);
    const report = await client.get<UsageReport>('/api/usage', { by, timezone, since: from, agent, session });
    return { json: report, text: (width) => formatUsage(report, width) };
  },
});

function groupingOf(text: string): UsageGrouping {
  const by = USAGE_GROUPINGS.find((each) => each === text.trim().toLowerCase());
  if (by) return by;
  throw new BadFlagError({ flag: '--by', value: text, expected: USAGE_GROUPINGS.join(', ') });
}

function formatUsage({ by, groups, others, total }: UsageReport, width: number): string {
  if (total.calls === 0) return 'No model was called in that time.\n';
  const lines = [
    ...groups,
    ...(others ? [{ ...others, key: 'others', lastAt: 0 }] : []),
    { ...total, key: 'total', lastAt: 0 },
  ];
  const columns: Columns<UsageGroup> = {
    [by]: ({ key }) => key,
    calls: ({ calls }) => calls,
    in: ({ input }) => input,
    cached: ({ cacheRead }) => cacheRead,
    out: ({ output }) => output,
    cost: formatCost,
  };
  return formatTable(lines, columns, width);
}

const HOUR_MS = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS, w: 168 * HOUR_MS };

export function parseSince(text: string, now: number, timezone: string): number {
  const word = text.trim().toLowerCase();
  if (word === 'today') return lastDailyBoundary(now, 0, timezone);
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(word) ?? [];
  if (count !== undefined) return Math.max(0, now - Number(count) * (UNITS[unit] ?? 0));
  const noon = /^\d{4}-\d\d-\d\d$/.test(word) ? Date.parse(`${word}T12:00:00Z`) : Number.NaN;
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' });
  // In a time zone far from Greenwich, noon may belong to another day.
  const inside = [noon, noon - 12 * HOUR_MS, noon + 12 * HOUR_MS].find(
    (moment) => !Number.isNaN(moment) && day.format(moment) === word,
  );
  if (inside === undefined)
    throw new BadFlagError({
      flag: '--since',
      value: text,
      expected: '"today", "24h", "7d" or a date such as 2026-05-01',
    });
  return Math.max(0, lastDailyBoundary(inside, 0, timezone));
}
