// `atrium hooks rearm`: lets handlers be called again that the running gateway has suspended.

import type { RearmedHandler } from '../gateway/services/hook-control.ts';
import type { AddCommand } from './commands.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';
import { hooksGroup } from './hooks-group.ts';
import { oneLine } from './output/format-table.ts';

export const addHooksRearm: AddCommand = (program, io) => {
  hooksGroup(program)
    .command('rearm')
    .argument('<name>', 'a hook, the id of a handler, or a plugin')
    .description('let handlers be called again that timed out too often')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium hooks rearm before_tool_call    every suspended handler of a hook
  $ atrium hooks rearm my-plugin           every one of a plugin; one that was stopped is loaded again

"atrium hooks status" shows who is suspended, and why.`,
    )
    .action(async (name: string, flags: { readonly json?: boolean }) => {
      const client = await openGatewayClient(io);
      const { rearmed } = await client.post<{ rearmed: readonly RearmedHandler[] }>('/api/hooks/rearm', { name });
      await client.close();
      if (flags.json) {
        io.out(`${JSON.stringify({ rearmed }, null, 2)}\n`);
        return;
      }
      if (rearmed.length === 0) io.out(`Nothing of ${oneLine(name)} is suspended.\n`);
      for (const { hook, id, owner } of rearmed) io.out(`${oneLine(`${hook} of ${owner} (${id})`)} is called again.\n`);
    });
};
