// `atrium deadletters replay`: sends dead letters again.

import type { AddCommand } from './commands.ts';
import { deadLettersGroup } from './deadletters-group.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';
import { oneLine } from './output/format-table.ts';

export const addDeadLettersReplay: AddCommand = (program, io) => {
  deadLettersGroup(program)
    .command('replay')
    .argument('<ids...>', 'ids of dead letters')
    .description('send dead letters again')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium deadletters replay dead_0mh3k9q2x4f8c1d07a5be

Needs a running gateway.`,
    )
    .action(async (ids: string[], flags: { readonly json?: boolean }) => {
      const client = await openGatewayClient(io);
      const replayed: { id: string; runId: string }[] = [];
      for (const id of ids) {
        const { runId } = await client.post<{ runId: string }>(`/api/deadletters/${encodeURIComponent(id)}/replay`);
        replayed.push({ id, runId });
        if (!flags.json) io.out(`${oneLine(id)} is sent again as ${oneLine(runId)}.\n`);
      }
      if (flags.json) io.out(`${JSON.stringify({ replayed }, null, 2)}\n`);
    });
};
