// `atrium sessions`: the conversations of this home.

import { formatChildren } from '../commands/format-children.ts';
import type { ChildView } from '../protocol/child-view.ts';
import { countOf } from '../protocol/count-of.ts';
import { isWebhookSenderId } from '../protocol/inbound.ts';
import { type Message, textOf, toolCallsOf } from '../protocol/message.ts';
import { clip } from '../protocol/one-line.ts';
import { unquotedText } from '../protocol/quoted-text.ts';
import { isSubagentSessionKey } from '../protocol/session-key.ts';
import type { SessionRow, TranscriptRow } from '../store/tables.ts';
import { checkFilter } from './check-filter.ts';
import type { CliIo } from './cli-io.ts';
import { type CliCommand, command } from './command.ts';
import { limitOption } from './common-options.ts';
import { path } from './gateway/gateway-client.ts';
import { type Columns, listText, moreText } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { line, oneLine, visibleLine } from './output/text.ts';

interface SessionAnswer {
  readonly session: SessionRow;
  readonly entries: number;
  readonly earlier: readonly SessionRow[];
}

type ListedSession = SessionRow & { readonly firstWords: string | null };

interface FoundEntry {
  readonly at: number;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly role: 'user' | 'assistant';
  readonly excerpt: string;
}

interface SearchAnswer {
  readonly found: readonly FoundEntry[];
  readonly next: number | null;
  readonly unindexed: number;
}

interface MarkAnswer {
  readonly session: SessionRow;
}

/** A list cuts longer titles; the session itself shows all of it. */
const LONGEST_TITLE = 40;

type Entry = Omit<TranscriptRow, 'sessionId'>;

export const SESSION_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'sessions list',
    summary: 'list the sessions that have not ended',
    options: {
      '--all': 'also those that have ended or were put away',
      '--archived': 'only those that were put away',
      '--agent <id>': 'only of this agent',
      '--limit <number>': limitOption(100),
    },
    examples: ['sessions list', 'sessions list --all --agent main --limit 20', 'sessions list --archived'],
    needs: 'reading',
    async run({ all, archived, agent, limit }, { client, io }) {
      const query = {
        limit,
        open: all || archived ? undefined : true,
        archived: archived ? true : all ? undefined : false,
        order: 'active',
        agent,
      };
      const answer = await client.get<{ sessions: ListedSession[]; next: string | null }>('/api/sessions', query);
      if (answer.sessions.length === 0) await checkFilter({ agent }, client, io);
      const { timezone } = io.environment;
      const columns: Columns<ListedSession> = {
        session: (row) => row.sessionKey,
        title: (row) => clip(row.title ?? row.firstWords ?? '', LONGEST_TITLE),
        agent: (row) => row.agentId,
        'last run': (row) => formatTime(row.activeAt, timezone),
        began: (row) => formatTime(row.startedAt, timezone),
        state: stateOf,
        ...(all ? { id: (row) => row.sessionId } : {}),
      };
      const none = archived
        ? 'No session was put away. "atrium sessions archive KEY" puts one away.'
        : 'There are no sessions yet. The first message begins one.';
      return { json: { sessions: answer.sessions }, text: listText(answer.sessions, columns, none, answer.next) };
    },
  }),
  command({
    path: 'sessions show',
    summary: 'show what was said in a session',
    args: { '<session>': 'a session key, or the id of one session' },
    options: { '--limit <number>': limitOption(50, 'the last entries, at most this many') },
    examples: ['sessions show agent:main:main', 'sessions show agent:main:main --limit 500 --json'],
    needs: 'reading',
    async run({ session, limit }, { client, io }) {
      const answer = await client.get<SessionAnswer>(path`/api/sessions/${session}`);
      const { entries } = await client.get<{ entries: Entry[] }>(
        path`/api/sessions/${answer.session.sessionId}/transcript`,
        { order: 'desc', limit },
      );
      const transcript = entries.reverse();
      return { json: { ...answer, transcript }, text: () => formatSession(answer, transcript, io) };
    },
  }),
  command({
    path: 'sessions tree',
    summary: 'show the sessions that have not ended, with their subagents below them',
    options: {
      '--all': 'also those that have ended',
      '--agent <id>': 'only of this agent',
      '--limit <number>': limitOption(100),
    },
    examples: ['sessions tree', 'sessions tree --agent main', "sessions tree --json | jq '.sessions[].subagents'"],
    needs: 'reading',
    async run({ all, agent, limit }, { client, io }) {
      const query = { limit, open: all ? undefined : true, agent };
      const { sessions, next } = await client.get<{ sessions: SessionRow[]; next: string | null }>(
        '/api/sessions',
        query,
      );
      if (sessions.length === 0) await checkFilter({ agent }, client, io);
      const tops = sessions.filter(({ sessionKey }) => !isSubagentSessionKey(sessionKey));
      const { subagents } = await client.get<{ subagents: ChildView[] }>('/api/subagents', { limit: MOST_IN_TREE });
      const isShown = new Set<string>();
      const trees = tops.map((session): SessionTree => {
        // Of several sessions with the same key, only the latest has the subagents below it.
        const isFirst = !isShown.has(session.sessionKey);
        isShown.add(session.sessionKey);
        const below = subagents.filter(({ parentKey }) => isFirst && parentKey === session.sessionKey);
        return { ...session, subagents: below };
      });
      const text = trees.flatMap(formatSessionTree).map((each) => `${visibleLine(each)}\n`);
      const none = 'There are no sessions yet. The first message begins one.\n';
      return { json: { sessions: trees }, text: `${text.join('') || none}${moreText(next)}` };
    },
  }),
  command({
    path: 'sessions search',
    summary: 'find what was said, in all sessions',
    args: { '<words...>': 'words, or their beginnings' },
    options: { '--agent <id>': 'only of this agent', '--limit <number>': limitOption(20) },
    examples: ['sessions search invoice', 'sessions search login page --agent main', 'sessions search invoice --json'],
    needs: 'reading',
    async run({ words, agent, limit }, { client, io }) {
      const answer = await client.get<SearchAnswer>('/api/search', { text: words.join(' '), agent, limit });
      if (answer.found.length === 0) await checkFilter({ agent }, client, io);
      const { timezone } = io.environment;
      const columns: Columns<FoundEntry> = {
        when: (row) => formatTime(row.at, timezone),
        session: (row) => row.sessionKey,
        who: (row) => (row.role === 'user' ? 'user' : row.agentId),
        said: (row) => row.excerpt,
      };
      const late =
        answer.unindexed > 0 ? `${countOf(answer.unindexed, 'message')} said just now cannot be found yet.\n` : '';
      const table = listText(answer.found, columns, 'Nothing that was said has these words.', answer.next);
      return { json: answer, text: (width) => `${table(width)}${late}` };
    },
  }),
  command({
    path: 'sessions rename',
    summary: 'give a session a title, or take it away',
    args: {
      '<session>': 'a session key, or the id of one session',
      '[title...]': 'the title; without one, it is taken away',
    },
    examples: ['sessions rename agent:main:main Holiday plans', 'sessions rename agent:main:main'],
    needs: 'gateway',
    async run({ session, title }, { client }) {
      const given = title === undefined || title.length === 0 ? null : title.join(' ');
      const answer = await client.post<MarkAnswer>(path`/api/sessions/${session}/marks`, { title: given });
      const { sessionKey, title: kept } = answer.session;
      const said = kept === null ? `${sessionKey} has no title any more.` : `${sessionKey} is now called "${kept}".`;
      return { json: answer, text: line(said) };
    },
  }),
  command({
    path: 'sessions archive',
    summary: 'put a session away; it is kept, and the next message brings it back',
    args: { '<session>': 'a session key, or the id of one session' },
    options: { '--undo': 'take it out again' },
    examples: ['sessions archive agent:main:web:direct:old-tab', 'sessions archive agent:main:main --undo'],
    needs: 'gateway',
    async run({ session, undo }, { client }) {
      const answer = await client.post<MarkAnswer>(path`/api/sessions/${session}/marks`, { isArchived: !undo });
      const { sessionKey } = answer.session;
      return { json: answer, text: line(undo ? `${sessionKey} is listed again.` : `${sessionKey} is put away.`) };
    },
  }),
  command({
    path: 'sessions branch',
    summary: 'begin a session with a copy of what was said in another one',
    args: { '<session>': 'a session key, or the id of one session' },
    options: {
      '--through <run>': 'copy up to the end of this run (default: everything)',
      '--before <run>': 'copy only what was said before this run',
      '--title <title>': 'the title of the branch (default: whose branch it is)',
    },
    examples: ['sessions branch agent:main:main', 'sessions branch agent:main:main --before run_01'],
    needs: 'gateway',
    async run({ session, ...body }, { client }) {
      const answer = await client.post<MarkAnswer>(path`/api/sessions/${session}/branch`, body);
      const { sessionKey, title } = answer.session;
      const said = `${sessionKey} is called "${title}". "atrium chat --session ${sessionKey}" goes on with it.`;
      return { json: answer, text: line(said) };
    },
  }),
  command({
    path: 'sessions reset',
    summary: 'end a session; the next message begins a new one',
    args: { '<session>': 'a session key' },
    examples: ['sessions reset agent:main:main'],
    needs: 'gateway',
    async run({ session }, { client }) {
      const answer = await client.post<{ sessionKey: string }>(path`/api/sessions/${session}/reset`);
      return { json: answer, text: line(`${answer.sessionKey} has ended. The next message begins a new session.`) };
    },
  }),
  command({
    path: 'sessions delete',
    summary: 'end a session and remove its transcript, which cannot be undone',
    args: { '<session>': 'a session key' },
    examples: ['sessions delete agent:main:web:direct:old-tab'],
    needs: 'gateway',
    async run({ session }, { client }) {
      const answer = await client.delete<{ sessionKey: string }>(path`/api/sessions/${session}`);
      return { json: answer, text: line(`${answer.sessionKey} has ended, and its transcript is removed.`) };
    },
  }),
];

type SessionTree = SessionRow & { readonly subagents: readonly ChildView[] };

/** The latest subagents of all sessions. */
const MOST_IN_TREE = 500;

function formatSessionTree({ sessionKey, endedAt, endReason, subagents }: SessionTree): readonly string[] {
  const state = endedAt === null ? 'open' : `ended (${endReason})`;
  return [`${oneLine(sessionKey)}: ${state}`, ...formatChildren(subagents, '  ')];
}

function stateOf({ endedAt, endReason, archivedAt }: ListedSession): string {
  if (endedAt !== null) return `ended (${endReason})`;
  return archivedAt === null ? 'open' : 'put away';
}

function formatSession({ session, entries, earlier }: SessionAnswer, shown: readonly Entry[], io: CliIo): string {
  const { timezone } = io.environment;
  const state =
    session.endedAt === null ? 'open' : `ended ${formatTime(session.endedAt, timezone)} (${session.endReason})`;
  const head = [
    `session   ${session.sessionKey}`,
    `id        ${session.sessionId}`,
    `agent     ${session.agentId}`,
    ...(session.title === null ? [] : [`title     ${session.title}`]),
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

function formatEntry({ kind, message, shown, meta }: Entry): string[] {
  if (kind !== 'message') return block(kind, shown ?? plainText(message));
  if (message.role === 'tool') {
    return block(
      message.isError ? `${message.toolName} failed` : message.toolName,
      clip(message.content, LONGEST_RESULT),
    );
  }
  if (message.role === 'user') {
    const { sender } = meta as { readonly sender?: { readonly id?: unknown } };
    const said = shown ?? message.content;
    return block('user', isWebhookSenderId(sender?.id) ? unquotedText(said) : said);
  }
  const text = shown ?? textOf(message);
  const calls = toolCallsOf(message).map(({ name, params }) =>
    oneLine(`calls   ${name} ${clip(JSON.stringify(params) ?? '', LONGEST_RESULT)}`),
  );
  return [...(text === '' ? [] : block('agent', text)), ...calls];
}

function plainText(message: Message): string {
  return message.role === 'assistant' ? textOf(message) : message.content;
}

/** What was said may hold control characters, so every line is made visible on its own. */
function block(who: string, text: string): string[] {
  const [first = '', ...rest] = text.split('\n').map((line) => visibleLine(line).trimEnd());
  return [`${oneLine(who).padEnd(7)} ${first}`, ...rest.map((line) => `        ${line}`.trimEnd())];
}

const LONGEST_RESULT = 400;
