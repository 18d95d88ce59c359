// `sessions_history`: what was said in one session of the agent, its latest messages in order.

import { formatRows } from './format-rows.ts';
import { findSession, NOT_BEGUN, type SessionToolOptions, showMessages } from './session-tools.ts';
import type { Tool } from './tool.ts';

interface SessionsHistoryParams {
  readonly sessionKey: string;
  readonly limit?: number;
  readonly includeTools?: boolean;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_CHARS_EACH = 4_000;
const MAX_CHARS_TOTAL = 40_000;
/** Calls and results of tools are left out after the look-up, so more is looked at than is shown. */
const ROWS_A_MESSAGE = 4;

export function createSessionsHistoryTool(options: SessionToolOptions): Tool {
  const { store } = options;
  return {
    name: 'sessions_history',
    description:
      'Read the latest messages of one session of this agent, oldest first. Calls and results of tools are left out unless asked for.',
    parameters: {
      type: 'object',
      properties: {
        sessionKey: {
          type: 'string',
          minLength: 1,
          description: 'The key or the id of the session, as sessions_list shows it.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LIMIT,
          description: `At most this many messages; ${DEFAULT_LIMIT} by default.`,
        },
        includeTools: { type: 'boolean', description: 'Also show calls and results of tools. False by default.' },
      },
      required: ['sessionKey'],
      additionalProperties: false,
    },
    idempotent: true,
    async run(params, context) {
      const asked = params as unknown as SessionsHistoryParams;
      const { limit = DEFAULT_LIMIT, includeTools = false } = asked;
      const found = await findSession(options, context, asked.sessionKey);
      if (!found.hasBegun) {
        const facts = { sessionKey: found.address.sessionKey, state: NOT_BEGUN, total: 0, shown: 0 };
        return { content: formatRows(facts, 'messages', []), details: facts };
      }
      const { sessionId, sessionKey } = found.session;
      const where = { sessionId, kind: 'message' } as const;
      const [total, rows] = await Promise.all([
        store.count('transcript', where),
        store.select('transcript', {
          where,
          orderBy: [['position', 'desc']],
          limit: includeTools ? limit : limit * ROWS_A_MESSAGE,
        }),
      ]);
      const messages = showMessages(rows.toReversed(), {
        includeTools,
        maxCharsEach: MAX_CHARS_EACH,
        maxCharsTotal: MAX_CHARS_TOTAL,
      }).slice(-limit);
      const facts = { sessionKey, sessionId, total, shown: messages.length };
      return { content: formatRows(facts, 'messages', messages), details: facts };
    },
  };
}
