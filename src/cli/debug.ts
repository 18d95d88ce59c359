// `atrium debug`: switches the debug logs of a running gateway on for a while, and off again.

import { BadFlagError } from '../gateway/errors.ts';
import { MAX_DEBUG_MS } from '../gateway/http/routes/debug.ts';
import { type ActiveDebugLog, DEBUG_LOG_NAMES, type DebugLogName } from '../protocol/debug-log.ts';
import { formatDuration, parseDuration } from '../protocol/duration.ts';
import { nearMatch } from '../protocol/near-match.ts';
import type { CliIo } from './cli-io.ts';
import { type CliCommand, command } from './command.ts';
import type { GatewayClient } from './gateway/gateway-client.ts';
import { type Columns, listText } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';

interface DebugAnswer {
  readonly active: readonly ActiveDebugLog[];
  readonly node?: string | undefined;
}

const LOGS = { '[logs...]': `${DEBUG_LOG_NAMES.join(', ')}, or all (the default)` } as const;
const SESSION = { '--session <key>': 'only this session (default: every session)' } as const;

export const DEBUG_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'debug on',
    summary: 'switch debug logs on for a while',
    args: LOGS,
    options: {
      ...SESSION,
      '--for <time>': { text: 'how long, such as 90s, 10m or 2h', default: '10m', parse: parseTime },
    },
    examples: ['debug on --session agent:main:main', 'debug on raw-stream cache-trace --for 2h'],
    needs: 'gateway',
    notes:
      'A restart of the gateway switches them off. They hold whole conversations, without what looks like a secret. Trajectories are switched on where they are off.',
    async run({ logs, session, for: ms }, { client, io }) {
      const asked = { logs: parseLogs(logs), sessionKey: session, ms };
      const { active, node, isKnown } = await client.post<DebugAnswer & { isKnown: boolean }>('/api/debug/on', asked);
      const warnings =
        isKnown || session === undefined
          ? []
          : [`There is no session ${session} yet; it will be logged when it begins.${await meantBy(session, client)}`];
      return { json: { active, node, isKnown }, text: formatActive(active, io, node), warnings };
    },
  }),
  command({
    path: 'debug off',
    summary: 'switch off the debug logs that were switched on with this command',
    args: LOGS,
    options: SESSION,
    examples: ['debug off', 'debug off raw-stream --session agent:main:main'],
    needs: 'gateway',
    async run({ logs, session }, { client, io }) {
      const asked = { logs: parseLogs(logs), sessionKey: session };
      const { active: before } = await client.get<{ active: ActiveDebugLog[] }>('/api/debug');
      const { active } = await client.post<{ active: ActiveDebugLog[] }>('/api/debug/off', asked);
      const warnings = session === undefined ? [] : wasOff(session, before);
      return { json: { active }, text: formatActive(active, io), warnings };
    },
  }),
  command({
    path: 'debug status',
    summary: 'say which debug logs are on, until when, and where they are written',
    examples: ['debug status'],
    needs: 'gateway',
    async run(_, { client, io }) {
      const { active, node } = await client.get<DebugAnswer>('/api/debug');
      return { json: { active, node }, text: formatActive(active, io, node) };
    },
  }),
];

/** ` Did you mean "agent:main:main"?` when that is likely. */
async function meantBy(session: string, client: GatewayClient): Promise<string> {
  const { sessions } = await client.get<{ sessions: { sessionKey: string }[] }>('/api/sessions', { limit: 500 });
  return suggestion(session, sessions);
}

/** Says that nothing was on for this session, so that a typing mistake does not look like success. */
function wasOff(session: string, before: readonly ActiveDebugLog[]): readonly string[] {
  const timed = before.flatMap(({ sessionKey, until }) =>
    sessionKey === null || until === null ? [] : [{ sessionKey }],
  );
  if (timed.some(({ sessionKey }) => sessionKey === session)) return [];
  return [`No debug log was switched on for the session ${session}.${suggestion(session, timed)}`];
}

function suggestion(session: string, known: readonly { readonly sessionKey: string }[]): string {
  const meant = nearMatch(
    session,
    known.map(({ sessionKey }) => sessionKey),
  );
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}

/** `raw-stream of agent:main:main until 2026-01-02 03:04:05`. */
export function describeDebugLog({ log, sessionKey, until }: ActiveDebugLog, io: CliIo): string {
  const who = sessionKey === null ? '' : ` of ${sessionKey}`;
  return `${log}${who} ${until === null ? 'always' : `until ${formatTime(until, io.environment.timezone)}`}`;
}

/** `node` is the one of several whose files these are. */
function formatActive(active: readonly ActiveDebugLog[], io: CliIo, node?: string): (width: number) => string {
  const columns: Columns<ActiveDebugLog> = {
    log: ({ log }) => log,
    session: ({ sessionKey }) => sessionKey ?? 'all',
    until: ({ until }) =>
      until === null ? 'it is switched off where it was switched on' : formatTime(until, io.environment.timezone),
    file: ({ file }) => file ?? "the gateway's log",
  };
  const list = listText(active, columns, 'No debug log is on.');
  if (node === undefined || active.length === 0) return list;
  return (width) =>
    `${list(width)}\nThese are files of the node "${node}". They are on at every node, and each writes what it runs into its own.`;
}

function parseLogs(words: readonly string[]): readonly DebugLogName[] {
  if (words.length === 0 || words.includes('all')) return DEBUG_LOG_NAMES;
  return words.map((word) => {
    const name = DEBUG_LOG_NAMES.find((each) => each === word);
    if (name) return name;
    throw new BadFlagError({ flag: 'logs', value: word, expected: `one of ${DEBUG_LOG_NAMES.join(', ')}, or all` });
  });
}

function parseTime(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 1_000 && ms <= MAX_DEBUG_MS) return ms;
  const most = formatDuration(MAX_DEBUG_MS);
  throw new BadFlagError({ flag: '--for', value: text, expected: `a time from 1s to ${most}, such as 10m` });
}
