// `atrium sessions list`: the conversations, the one with the latest message first.

import type { SessionRow } from '../store/tables.ts';
import type { AddCommand } from './commands.ts';
import { openReadingClient } from './gateway/gateway-client.ts';
import { formatTable, outputWidth } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { sessionsGroup } from './sessions-group.ts';
import { parseLimit } from './whole-number.ts';

interface SessionsListFlags {
  readonly all?: boolean;
  readonly agent?: string;
  readonly limit: string;
  readonly json?: boolean;
}

export const addSessionsList: AddCommand = (program, io) => {
  sessionsGroup(program)
    .command('list')
    .description('list the sessions that have not ended')
    .option('--all', 'also those that have ended')
    .option('--agent <id>', 'only of this agent')
    .option('--limit <number>', 'at most this many', '100')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium sessions list
  $ atrium sessions list --all --agent main --limit 20`,
    )
    .action(async (flags: SessionsListFlags) => {
      const query = new URLSearchParams({ limit: String(parseLimit(flags.limit)) });
      if (!flags.all) query.set('open', 'true');
      if (flags.agent !== undefined) query.set('agent', flags.agent);
      const client = await openReadingClient(io);
      try {
        const answer = await client.get<{ sessions: SessionRow[]; next: string | null }>(`/api/sessions?${query}`);
        if (flags.json) {
          io.out(`${JSON.stringify({ sessions: answer.sessions }, null, 2)}\n`);
          return;
        }
        const { timezone } = io.environment;
        const sessions = [...answer.sessions].sort((a, b) => b.activeAt - a.activeAt);
        if (sessions.length === 0) io.out('There are no sessions yet. The first message begins one.\n');
        else {
          io.out(
            formatTable(
              sessions,
              [
                { title: 'session', cell: (row) => row.sessionKey },
                { title: 'agent', cell: (row) => row.agentId },
                { title: 'last run', cell: (row) => formatTime(row.activeAt, timezone) },
                { title: 'began', cell: (row) => formatTime(row.startedAt, timezone) },
                { title: 'state', cell: (row) => (row.endedAt === null ? 'open' : `ended (${row.endReason})`) },
                ...(flags.all ? [{ title: 'id', cell: (row: SessionRow) => row.sessionId }] : []),
              ],
              outputWidth(io),
            ),
          );
        }
        if (answer.next !== null) io.out('There are more; ask for them with a higher --limit (500 at most).\n');
      } finally {
        await client.close();
      }
    });
};
