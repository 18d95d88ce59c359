// `atrium deadletters list`: what was given up, in both directions, the latest first.

import type { DeadLetterRow } from '../store/tables.ts';
import type { AddCommand } from './commands.ts';
import { deadLettersGroup } from './deadletters-group.ts';
import { openReadingClient } from './gateway/gateway-client.ts';
import { formatTable, outputWidth } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { parseLimit } from './whole-number.ts';

interface DeadLettersListFlags {
  readonly limit: string;
  readonly json?: boolean;
}

export const addDeadLettersList: AddCommand = (program, io) => {
  deadLettersGroup(program)
    .command('list')
    .description('list the messages and answers that were given up')
    .option('--limit <number>', 'at most this many', '100')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium deadletters list
  $ atrium deadletters list --json | jq -r '.deadLetters[].id'`,
    )
    .action(async (flags: DeadLettersListFlags) => {
      const limit = parseLimit(flags.limit);
      const client = await openReadingClient(io);
      try {
        const { deadLetters, next } = await client.get<{ deadLetters: DeadLetterRow[]; next: string | null }>(
          `/api/deadletters?limit=${limit}`,
        );
        if (flags.json) {
          io.out(`${JSON.stringify({ deadLetters }, null, 2)}\n`);
          return;
        }
        if (deadLetters.length === 0) io.out('There are no dead letters.\n');
        else {
          io.out(
            formatTable(
              deadLetters,
              [
                { title: 'id', cell: (row) => row.id },
                { title: 'way', cell: (row) => row.direction },
                { title: 'since', cell: (row) => formatTime(row.createdAt, io.environment.timezone) },
                { title: 'session', cell: (row) => row.sessionKey },
                { title: 'why', cell: (row) => row.reason },
              ],
              outputWidth(io),
            ),
          );
        }
        if (next !== null) io.out('There are more; ask for them with a higher --limit (500 at most).\n');
      } finally {
        await client.close();
      }
    });
};
