// `atrium deadletters show`: one dead letter with everything that was kept of it.

import type { DeadLetterRow } from '../store/tables.ts';
import type { AddCommand } from './commands.ts';
import { deadLettersGroup } from './deadletters-group.ts';
import { openReadingClient } from './gateway/gateway-client.ts';
import { oneLine, visibleLine } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';

export const addDeadLettersShow: AddCommand = (program, io) => {
  deadLettersGroup(program)
    .command('show')
    .argument('<id>', 'the id of a dead letter')
    .description('show a dead letter with what it holds')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium deadletters show dead_0mh3k9q2x4f8c1d07a5be`,
    )
    .action(async (id: string, flags: { readonly json?: boolean }) => {
      const client = await openReadingClient(io);
      try {
        const { deadLetter } = await client.get<{ deadLetter: DeadLetterRow }>(
          `/api/deadletters/${encodeURIComponent(id)}`,
        );
        if (flags.json) {
          io.out(`${JSON.stringify(deadLetter, null, 2)}\n`);
          return;
        }
        const payload = JSON.stringify(deadLetter.payload, null, 2).split('\n').map(visibleLine).join('\n');
        const way = deadLetter.direction === 'in' ? 'a message that was not answered' : 'an answer that was not sent';
        const head = [
          `id       ${deadLetter.id}`,
          `what     ${way}`,
          `why      ${deadLetter.reason}`,
          `since    ${formatTime(deadLetter.createdAt, io.environment.timezone)}`,
          `session  ${deadLetter.sessionKey}`,
          `run      ${deadLetter.runId}`,
        ];
        io.out(`${head.map(oneLine).join('\n')}\n${payload}\n`);
      } finally {
        await client.close();
      }
    });
};
