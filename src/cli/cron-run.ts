// `atrium cron run`: does a job now.

import type { StartedJob } from '../schedule/schedule.ts';
import type { AddCommand } from './commands.ts';
import { cronGroup } from './cron-group.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';
import { oneLine } from './output/format-table.ts';

export const addCronRun: AddCommand = (program, io) => {
  cronGroup(program)
    .command('run')
    .argument('<id>', 'the id of a job')
    .description('run a job now, besides its times')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium cron run job_0mh3k9q2x4f8c1d07a5be

Needs a running gateway. Does not wait for the run; "atrium cron history" says what became of it.`,
    )
    .action(async (id: string, flags: { readonly json?: boolean }) => {
      const client = await openGatewayClient(io);
      const started = await client.post<StartedJob>(`/api/cron/jobs/${encodeURIComponent(id)}/run`);
      if (flags.json) io.out(`${JSON.stringify(started, null, 2)}\n`);
      else if (started.isNew) io.out(`${oneLine(id)} runs as ${oneLine(started.runId)}.\n`);
      else io.out(`${oneLine(id)} was waiting for its turn already, as ${oneLine(started.runId)}.\n`);
    });
};
