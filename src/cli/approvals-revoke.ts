// `atrium approvals revoke`: takes rules back, so that their commands ask again.

import { approvalsGroup } from './approvals-group.ts';
import type { AddCommand } from './commands.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';
import { oneLine } from './output/format-table.ts';

export const addApprovalsRevoke: AddCommand = (program, io) => {
  approvalsGroup(program)
    .command('revoke')
    .argument('<rules...>', 'ids of rules')
    .description('take rules back, so that their commands ask again')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium approvals revoke rule_0mh3k9q2x4f8c1d07a5be

Needs a running gateway.`,
    )
    .action(async (ids: string[], flags: { readonly json?: boolean }) => {
      const client = await openGatewayClient(io);
      for (const id of ids) {
        await client.delete(`/api/approvals/rules/${encodeURIComponent(id)}`);
        if (!flags.json) io.out(`${oneLine(id)} is revoked.\n`);
      }
      if (flags.json) io.out(`${JSON.stringify({ revoked: ids }, null, 2)}\n`);
    });
};
