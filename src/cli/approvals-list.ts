// `atrium approvals list`: what waits for a person, with exactly what would run.

import { approvalsGroup } from './approvals-group.ts';
import type { AddCommand } from './commands.ts';
import { formatApproval, type ToldApproval } from './format-approval.ts';
import { openReadingClient } from './gateway/gateway-client.ts';
import { parseLimit } from './whole-number.ts';

interface ApprovalsListFlags {
  readonly all?: boolean;
  readonly session?: string;
  readonly limit: string;
  readonly json?: boolean;
}

export const addApprovalsList: AddCommand = (program, io) => {
  approvalsGroup(program)
    .command('list')
    .description('list the tool calls that wait for a person')
    .option('--all', 'also those that were answered')
    .option('--session <key>', 'only those of this session')
    .option('--limit <number>', 'at most this many', '100')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium approvals list
  $ atrium approvals list --all --json | jq '.approvals[] | [.id, .decision, .contextHash]'`,
    )
    .action(async (flags: ApprovalsListFlags) => {
      const query = new URLSearchParams({
        status: flags.all ? 'all' : 'waiting',
        limit: String(parseLimit(flags.limit)),
        ...(flags.session === undefined ? {} : { session: flags.session }),
      });
      const client = await openReadingClient(io);
      try {
        const { approvals, next } = await client.get<{ approvals: ToldApproval[]; next: number | null }>(
          `/api/approvals?${query}`,
        );
        if (flags.json) {
          io.out(`${JSON.stringify({ approvals }, null, 2)}\n`);
          return;
        }
        const now = io.now().getTime();
        const shown = approvals.map((approval) => formatApproval(approval, now, io.environment.timezone));
        io.out(shown.length === 0 ? 'Nothing waits for an approval.\n' : shown.join('\n'));
        if (next !== null) io.out('There are more; ask for them with a higher --limit (500 at most).\n');
      } finally {
        await client.close();
      }
    });
};
