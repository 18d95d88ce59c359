// `atrium sessions show`: what was said in one conversation.

import { countOf } from '../protocol/count-of.ts';
import { type Message, textOf, toolCallsOf } from '../protocol/message.ts';
import { clip } from '../protocol/one-line.ts';
import type { SessionRow, TranscriptRow } from '../store/tables.ts';
import type { CliIo } from './cli-io.ts';
import type { AddCommand } from './commands.ts';
import { openReadingClient } from './gateway/gateway-client.ts';
import { oneLine, visibleLine } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { sessionsGroup } from './sessions-group.ts';
import { parseLimit } from './whole-number.ts';

interface SessionsShowFlags {
  readonly limit: string;
  readonly json?: boolean;
}

interface SessionAnswer {
  readonly session: SessionRow;
  readonly entries: number;
  readonly earlier: readonly SessionRow[];
}

type Entry = Omit<TranscriptRow, 'sessionId'>;

export const addSessionsShow: AddCommand = (program, io) => {
  sessionsGroup(program)
    .command('show')
    .argument('<session>', 'a session key, or the id of one session')
    .description('show what was said in a session')
    .option('--limit <number>', 'the last entries, at most this many', '50')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium sessions show agent:main:main
  $ atrium sessions show agent:main:main --limit 500 --json`,
    )
    .action(async (name: string, flags: SessionsShowFlags) => {
      const limit = parseLimit(flags.limit);
      const client = await openReadingClient(io);
      try {
        const path = `/api/sessions/${encodeURIComponent(name)}`;
        const answer = await client.get<SessionAnswer>(path);
        const id = encodeURIComponent(answer.session.sessionId);
        const transcript = await client.get<{ entries: Entry[] }>(
          `/api/sessions/${id}/transcript?order=desc&limit=${limit}`,
        );
        const entries = transcript.entries.reverse();
        io.out(
          flags.json
            ? `${JSON.stringify({ ...answer, transcript: entries }, null, 2)}\n`
            : formatSession(answer, entries, io),
        );
      } finally {
        await client.close();
      }
    });
};

function formatSession({ session, entries, earlier }: SessionAnswer, shown: readonly Entry[], io: CliIo): string {
  const { timezone } = io.environment;
  const state =
    session.endedAt === null ? 'open' : `ended ${formatTime(session.endedAt, timezone)} (${session.endReason})`;
  const head = [
    `session   ${session.sessionKey}`,
    `id        ${session.sessionId}`,
    `agent     ${session.agentId}`,
    `began     ${formatTime(session.startedAt, timezone)}, ${state}`,
    `entries   ${entries}${shown.length < entries ? `, the last ${shown.length} of them here` : ''}`,
    ...(earlier.length > 0 ? [`others    ${countOf(earlier.length, 'session')} of the same key`] : []),
  ];
  const lines = [...head.map(oneLine), ''];
  let runId = '';
  for (const entry of shown) {
    if (entry.runId !== runId) lines.push(oneLine(`-- ${entry.runId}, ${formatTime(entry.at, timezone)}`));
    runId = entry.runId;
    lines.push(...formatEntry(entry));
  }
  return `${lines.join('\n')}\n`;
}

function formatEntry({ kind, message, shown }: Entry): string[] {
  if (kind !== 'message') return block(kind, shown ?? plainText(message));
  if (message.role === 'tool') {
    return block(
      message.isError ? `${message.toolName} failed` : message.toolName,
      clip(message.content, LONGEST_RESULT),
    );
  }
  if (message.role === 'user') return block('user', shown ?? message.content);
  const text = shown ?? textOf(message);
  const calls = toolCallsOf(message).map(({ name, params }) =>
    oneLine(`calls   ${name} ${clip(JSON.stringify(params) ?? '', LONGEST_RESULT)}`),
  );
  return [...(text === '' ? [] : block('agent', text)), ...calls];
}

function plainText(message: Message): string {
  return message.role === 'assistant' ? textOf(message) : message.content;
}

/** Whatever was said may hold control characters, so every line is made visible on its own. */
function block(who: string, text: string): string[] {
  const [first = '', ...rest] = text.split('\n').map((line) => visibleLine(line).trimEnd());
  return [`${oneLine(who).padEnd(7)} ${first}`, ...rest.map((line) => `        ${line}`.trimEnd())];
}

const LONGEST_RESULT = 400;
