// `atrium cron add`: a new job.

import type { JobRow } from '../store/tables.ts';
import type { AddCommand } from './commands.ts';
import { addCronFlags, type CronFlags, cronBodyOf } from './cron-flags.ts';
import { cronGroup } from './cron-group.ts';
import { FlagCombinationError } from './errors.ts';
import { formatJob } from './format-job.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';

interface CronAddFlags extends CronFlags {
  readonly agent?: string;
  readonly disabled?: boolean;
}

export const addCronAdd: AddCommand = (program, io) => {
  addCronFlags(cronGroup(program).command('add'))
    .description('add a job')
    .option('--agent <id>', 'the agent that does it; the default agent unless you say')
    .option('--disabled', 'let it rest until it is enabled')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium cron add --name standup --cron "0 9 * * 1-5" --tz Europe/Lisbon --message "Prepare the stand-up." --deliver cli:local
  $ atrium cron add --name tea --at "in 5m" --message "Remind me of the tea." --deliver cli:local --remove-after-run
  $ atrium cron add --name tidy --every 6h --message "Tidy up the notes."

Needs a running gateway.`,
    )
    .action(async (flags: CronAddFlags) => {
      for (const name of ['name', 'message'] as const) {
        if (flags[name] === undefined) throw new FlagCombinationError({ problem: `--${name} is missing.` });
      }
      if (flags.at === undefined && flags.every === undefined && flags.cron === undefined) {
        throw new FlagCombinationError({
          problem: 'A job needs a time: give exactly one of --at, --every and --cron.',
        });
      }
      const client = await openGatewayClient(io);
      const { job } = await client.post<{ job: JobRow }>('/api/cron/jobs', {
        ...cronBodyOf(flags),
        agentId: flags.agent,
        ...(flags.disabled ? { enabled: false } : {}),
      });
      io.out(flags.json ? `${JSON.stringify({ job }, null, 2)}\n` : formatJob(job, io.environment.timezone));
    });
};
