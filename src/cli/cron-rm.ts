// `atrium cron rm`: removes jobs.

import type { JobRow } from '../store/tables.ts';
import type { AddCommand } from './commands.ts';
import { cronGroup } from './cron-group.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';
import { oneLine } from './output/format-table.ts';

export const addCronRm: AddCommand = (program, io) => {
  cronGroup(program)
    .command('rm')
    .argument('<ids...>', 'ids of jobs')
    .description('remove jobs; what became of them is kept for 90 days')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium cron rm job_0mh3k9q2x4f8c1d07a5be

Needs a running gateway. A run that has begun, or waits for its turn, is not stopped by this.`,
    )
    .action(async (ids: string[], flags: { readonly json?: boolean }) => {
      const client = await openGatewayClient(io);
      const removed: JobRow[] = [];
      for (const id of ids) {
        const { job } = await client.delete<{ job: JobRow }>(`/api/cron/jobs/${encodeURIComponent(id)}`);
        removed.push(job);
        if (!flags.json) io.out(`${oneLine(`${job.id} (${job.name})`)} is removed.\n`);
      }
      if (flags.json) io.out(`${JSON.stringify({ removed }, null, 2)}\n`);
    });
};
