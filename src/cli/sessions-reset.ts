// `atrium sessions reset`: ends a conversation, so that the next message begins a new one. What was said is kept.

import type { AddCommand } from './commands.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';
import { oneLine } from './output/format-table.ts';
import { sessionsGroup } from './sessions-group.ts';

export const addSessionsReset: AddCommand = (program, io) => {
  sessionsGroup(program)
    .command('reset')
    .argument('<session>', 'a session key')
    .description('end a session; the next message begins a new one')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium sessions reset agent:main:main

Needs a running gateway.`,
    )
    .action(async (session: string, flags: { readonly json?: boolean }) => {
      const client = await openGatewayClient(io);
      const answer = await client.post<{ sessionKey: string }>(`/api/sessions/${encodeURIComponent(session)}/reset`);
      io.out(
        flags.json
          ? `${JSON.stringify(answer, null, 2)}\n`
          : `${oneLine(answer.sessionKey)} has ended. The next message begins a new session.\n`,
      );
    });
};
