// `atrium cron list`: the jobs, those that are due next first.

import { formatDeliverTarget } from '../schedule/deliver-target.ts';
import { formatSchedule, readSchedule } from '../schedule/job-schedule.ts';
import type { JobRow } from '../store/tables.ts';
import type { AddCommand } from './commands.ts';
import { cronGroup } from './cron-group.ts';
import { formatNext } from './format-job.ts';
import { openReadingClient } from './gateway/gateway-client.ts';
import { formatTable, outputWidth } from './output/format-table.ts';

interface CronListFlags {
  readonly agent?: string;
  readonly json?: boolean;
}

export const addCronList: AddCommand = (program, io) => {
  cronGroup(program)
    .command('list')
    .description('list the jobs, those that are due next first')
    .option('--agent <id>', 'only of this agent')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium cron list
  $ atrium cron list --json | jq -r '.jobs[].id'

Works while the gateway is down.`,
    )
    .action(async (flags: CronListFlags) => {
      const query = flags.agent === undefined ? '' : `?${new URLSearchParams({ agent: flags.agent })}`;
      const client = await openReadingClient(io);
      try {
        const { jobs } = await client.get<{ jobs: JobRow[] }>(`/api/cron/jobs${query}`);
        if (flags.json) io.out(`${JSON.stringify({ jobs }, null, 2)}\n`);
        else if (jobs.length === 0) io.out('There are no jobs. "atrium cron add --help" shows how to add one.\n');
        else {
          io.out(
            formatTable(
              jobs,
              [
                { title: 'id', cell: (job) => job.id },
                { title: 'next', cell: (job) => formatNext(job, io.environment.timezone) },
                { title: 'schedule', cell: (job) => formatSchedule(readSchedule(job.schedule)) },
                { title: 'agent', cell: (job) => job.agentId },
                { title: 'answers to', cell: (job) => formatDeliverTarget(job.deliverTo) },
                { title: 'name', cell: (job) => job.name },
              ],
              outputWidth(io),
            ),
          );
        }
      } finally {
        await client.close();
      }
    });
};
