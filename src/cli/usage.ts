// `atrium usage`: what model calls have cost, by day, agent, session, model or run.

import { loadConfig } from '../config/load-config.ts';
import { resolveTimezone } from '../config/timezone.ts';
import { BadFlagError } from '../gateway/errors.ts';
import { USAGE_GROUPINGS, type UsageGroup, type UsageGrouping, type UsageReport } from '../gateway/services/usage.ts';
import { formatCost } from '../protocol/cost.ts';
import type { CliIo } from './cli-io.ts';
import type { AddCommand } from './commands.ts';
import { openReadingClient } from './gateway/gateway-client.ts';
import { formatTable, outputWidth, type TableColumn } from './output/format-table.ts';
import { parseSince } from './parse-since.ts';

interface UsageFlags {
  readonly by: string;
  readonly since?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly json?: boolean;
}

export const addUsage: AddCommand = (program, io) => {
  program
    .command('usage')
    .description('show the tokens and the cost of model calls')
    .option('--by <what>', 'sum up by day, agent, session, model or run', 'day')
    .option('--since <when>', 'only from then on: "today", "24h", "7d" or a date such as 2026-05-01')
    .option('--agent <id>', 'only of this agent')
    .option('--session <key>', 'only of this session')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Costs are known where models.providers has prices for a model; elsewhere they are unknown.

Examples:
  $ atrium usage --since 7d
  $ atrium usage --by model --agent main
  $ atrium usage --by day --json | jq .total`,
    )
    .action(async (flags: UsageFlags) => {
      const by = groupingOf(flags.by);
      const { config } = await loadConfig({ environment: io.environment });
      const timezone = resolveTimezone(config, io.environment);
      const asked = new URLSearchParams({ by, timezone });
      if (flags.since !== undefined) asked.set('since', String(parseSince(flags.since, io.now().getTime(), timezone)));
      if (flags.agent !== undefined) asked.set('agent', flags.agent);
      if (flags.session !== undefined) asked.set('session', flags.session);
      const client = await openReadingClient(io);
      try {
        const report = await client.get<UsageReport>(`/api/usage?${asked}`);
        io.out(flags.json ? `${JSON.stringify(report, null, 2)}\n` : formatUsage(report, io));
      } finally {
        await client.close();
      }
    });
};

function groupingOf(text: string): UsageGrouping {
  const by = USAGE_GROUPINGS.find((each) => each === text.trim().toLowerCase());
  if (by) return by;
  throw new BadFlagError({ flag: '--by', value: text, expected: USAGE_GROUPINGS.join(', ') });
}

function formatUsage({ by, groups, others, total }: UsageReport, io: CliIo): string {
  if (total.calls === 0) return 'No model was called in that time.\n';
  const lines = [
    ...groups,
    ...(others ? [{ ...others, key: 'others', lastAt: 0 }] : []),
    { ...total, key: 'total', lastAt: 0 },
  ];
  const columns: readonly TableColumn<UsageGroup>[] = [
    { title: by, cell: ({ key }) => key },
    { title: 'calls', cell: ({ calls }) => calls },
    { title: 'in', cell: ({ input }) => input },
    { title: 'cached', cell: ({ cacheRead }) => cacheRead },
    { title: 'out', cell: ({ output }) => output },
    { title: 'cost', cell: formatCost },
  ];
  return formatTable(lines, columns, outputWidth(io));
}
