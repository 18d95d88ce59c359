// `atrium cron edit`: changes a job; what is not named stays as it is.

import type { JobRow } from '../store/tables.ts';
import type { AddCommand } from './commands.ts';
import { addCronFlags, type CronFlags, cronBodyOf } from './cron-flags.ts';
import { cronGroup } from './cron-group.ts';
import { FlagCombinationError } from './errors.ts';
import { formatJob } from './format-job.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';

interface CronEditFlags extends CronFlags {
  readonly enable?: boolean;
  readonly disable?: boolean;
}

export const addCronEdit: AddCommand = (program, io) => {
  addCronFlags(cronGroup(program).command('edit').argument('<id>', 'the id of a job'))
    .description('change a job; what you do not name stays as it is')
    .option('--enable', 'let it run again')
    .option('--disable', 'let it rest')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium cron edit job_0mh3k9q2x4f8c1d07a5be --cron "0 8 * * 1-5"
  $ atrium cron edit job_0mh3k9q2x4f8c1d07a5be --deliver none --disable

Needs a running gateway.`,
    )
    .action(async (id: string, flags: CronEditFlags) => {
      if (flags.enable && flags.disable)
        throw new FlagCombinationError({ problem: '--enable and --disable exclude each other.' });
      const enabled = flags.enable ? true : flags.disable ? false : undefined;
      const body = { ...cronBodyOf(flags), enabled };
      if (Object.values(body).every((value) => value === undefined)) {
        throw new FlagCombinationError({ problem: 'Nothing is to be changed: give at least one flag that says what.' });
      }
      const client = await openGatewayClient(io);
      const { job } = await client.post<{ job: JobRow }>(`/api/cron/jobs/${encodeURIComponent(id)}`, body);
      io.out(flags.json ? `${JSON.stringify({ job }, null, 2)}\n` : formatJob(job, io.environment.timezone));
    });
};
