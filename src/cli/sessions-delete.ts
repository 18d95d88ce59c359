// `atrium sessions delete`: ends a conversation and removes what was said.

import type { AddCommand } from './commands.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';
import { oneLine } from './output/format-table.ts';
import { sessionsGroup } from './sessions-group.ts';

export const addSessionsDelete: AddCommand = (program, io) => {
  sessionsGroup(program)
    .command('delete')
    .argument('<session>', 'a session key')
    .description('end a session and remove its transcript, which cannot be undone')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium sessions delete agent:main:web:direct:old-tab

Needs a running gateway.`,
    )
    .action(async (session: string, flags: { readonly json?: boolean }) => {
      const client = await openGatewayClient(io);
      const answer = await client.delete<{ sessionKey: string }>(`/api/sessions/${encodeURIComponent(session)}`);
      io.out(
        flags.json
          ? `${JSON.stringify(answer, null, 2)}\n`
          : `${oneLine(answer.sessionKey)} has ended, and its transcript is removed.\n`,
      );
    });
};
