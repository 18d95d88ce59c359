// `sessions_list`: the open sessions of the agent, newest first, each with its size and how its last run went.

import type { SessionRow } from '../store/tables.ts';
import { formatRows } from './format-rows.ts';
import {
  kindOfSession,
  lastRunOf,
  SESSION_KINDS,
  type SessionKind,
  type SessionToolOptions,
  showMessages,
} from './session-tools.ts';
import type { Tool } from './tool.ts';

interface SessionsListParams {
  readonly kinds?: readonly SessionKind[];
  readonly limit?: number;
  readonly activeMinutes?: number;
  readonly messageLimit?: number;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const MAX_MESSAGES = 20;
/** Kinds are told by the key, which no query can ask for, so this many are looked through for them. */
const MAX_LOOKED_AT = 1_000;
const MAX_CHARS_EACH = 500;
const MAX_CHARS_A_SESSION = 2_000;

export function createSessionsListTool(options: SessionToolOptions): Tool {
  const { store, now, sight } = options;
  return {
    name: 'sessions_list',
    description:
      'List the open sessions of this agent, most recently active first: key, kind, activity, messages, last run.',
    parameters: {
      type: 'object',
      properties: {
        kinds: {
          type: 'array',
          items: { type: 'string', enum: SESSION_KINDS },
          description: 'Only sessions of these kinds.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LIMIT,
          description: `At most this many; ${DEFAULT_LIMIT} by default.`,
        },
        activeMinutes: {
          type: 'integer',
          minimum: 1,
          description: 'Only sessions that were active in the last so many minutes.',
        },
        messageLimit: {
          type: 'integer',
          minimum: 0,
          maximum: MAX_MESSAGES,
          description: 'Also show the last so many messages of each; none by default.',
        },
      },
      additionalProperties: false,
    },
    idempotent: true,
    async run(params, context) {
      const { kinds, limit = DEFAULT_LIMIT, activeMinutes, messageLimit = 0 } = params as unknown as SessionsListParams;
      const open = await store.select('sessions', {
        where: {
          endedAt: null,
          ...(activeMinutes === undefined ? {} : { activeAt: { gte: now() - activeMinutes * 60_000 } }),
          ...sight.scopeOf(context),
        },
        orderBy: [['activeAt', 'desc']],
        limit: kinds ? MAX_LOOKED_AT : limit + 1,
      });
      const fitting = kinds ? open.filter(({ sessionKey }) => kinds.includes(kindOfSession(sessionKey))) : open;
      const rows = await Promise.all(fitting.slice(0, limit).map((session) => describeSession(session, messageLimit)));
      const facts = { count: rows.length, ...(fitting.length > limit ? { more: true } : {}) };
      return { content: formatRows(facts, 'sessions', rows), details: facts };
    },
  };

  async function describeSession(session: SessionRow, messageLimit: number): Promise<object> {
    const { sessionId, sessionKey, startedAt, activeAt, surface } = session;
    const [messages, lastRun, recent] = await Promise.all([
      store.count('transcript', { sessionId, kind: 'message' }),
      lastRunOf(store, sessionId),
      messageLimit === 0
        ? []
        : store.select('transcript', {
            where: { sessionId, kind: 'message' },
            orderBy: [['position', 'desc']],
            // Calls and results of tools are left out and would use the limit up.
            limit: messageLimit * 4,
          }),
    ]);
    const shown = showMessages(recent.toReversed(), {
      includeTools: false,
      maxCharsEach: MAX_CHARS_EACH,
      maxCharsTotal: MAX_CHARS_A_SESSION,
    }).slice(-messageLimit);
    return {
      key: sessionKey,
      kind: kindOfSession(sessionKey),
      channel: surface?.channel,
      sessionId,
      startedAt: new Date(startedAt).toISOString(),
      activeAt: new Date(activeAt).toISOString(),
      messages,
      lastRun,
      ...(messageLimit === 0 ? {} : { recent: shown }),
    };
  }
}
