// `atrium cron history`: what became of a job's times, the latest first.

import type { JobHistoryEntry } from '../schedule/job-history.ts';
import type { AddCommand } from './commands.ts';
import { cronGroup } from './cron-group.ts';
import { openReadingClient } from './gateway/gateway-client.ts';
import { formatTable, outputWidth } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { parseLimit } from './whole-number.ts';

interface CronHistoryFlags {
  readonly limit: string;
  readonly json?: boolean;
}

interface HistoryAnswer {
  readonly jobId: string;
  readonly entries: readonly JobHistoryEntry[];
  readonly next: number | null;
}

export const addCronHistory: AddCommand = (program, io) => {
  cronGroup(program)
    .command('history')
    .argument('<id>', 'the id of a job, also of one that is gone')
    .description('show what became of the times of a job')
    .option('--limit <number>', 'at most this many', '50')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium cron history job_0mh3k9q2x4f8c1d07a5be

Works while the gateway is down.`,
    )
    .action(async (id: string, flags: CronHistoryFlags) => {
      const limit = parseLimit(flags.limit);
      const client = await openReadingClient(io);
      try {
        const answer = await client.get<HistoryAnswer>(
          `/api/cron/jobs/${encodeURIComponent(id)}/history?limit=${limit}`,
        );
        const { entries, next } = answer;
        if (flags.json) {
          io.out(`${JSON.stringify(answer, null, 2)}\n`);
          return;
        }
        if (entries.length === 0) io.out('It has not been due yet.\n');
        else {
          io.out(
            formatTable(
              entries,
              [
                { title: 'slot', cell: (entry) => formatTime(entry.slot, io.environment.timezone) },
                { title: 'how', cell: (entry) => entry.how },
                { title: 'run', cell: (entry) => entry.runId ?? '-' },
                { title: 'status', cell: (entry) => entry.status },
                { title: 'delivery', cell: (entry) => entry.delivery },
                { title: 'what came of it', cell: (entry) => (entry.error ?? entry.reply ?? '').slice(0, 200) },
              ],
              outputWidth(io),
            ),
          );
        }
        if (next !== null) io.out('There are more; ask for them with a higher --limit (500 at most).\n');
      } finally {
        await client.close();
      }
    });
};
