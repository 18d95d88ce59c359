// Debug logs that are switched on and off while the gateway runs.

import { DEBUG_LOG_NAMES } from '../../../protocol/debug-log.ts';
import { parseAgentSessionKey } from '../../../protocol/session-key.ts';
import { UnknownSessionError } from '../../../sessions/errors.ts';
import { type Route, route, type Zod } from '../route.ts';
import { checkAgent } from './check-agent.ts';
import { at, sessionKey } from './pieces.ts';

/** A log that was forgotten must not fill a disk. */
export const MAX_DEBUG_MS = 24 * 60 * 60_000;

const logs = (z: Zod) =>
  z
    .array(z.enum(DEBUG_LOG_NAMES))
    .min(1)
    .max(16)
    .default([...DEBUG_LOG_NAMES])
    .describe('Which logs; all of them unless you say.');

export const activeDebugLogs = (z: Zod) =>
  z.array(
    z.object({
      log: z.enum(DEBUG_LOG_NAMES),
      sessionKey: z.string().nullable().describe('The only session that is logged; null means all.'),
      until: at(z).nullable().describe('Null when the environment or the configuration switched it on.'),
      file: z.string().nullable().describe("Null means the gateway's own log."),
    }),
  );

/** Which node's files an answer names. */
const node = (z: Zod) =>
  z
    .string()
    .optional()
    .describe('Of several nodes, the one whose files these are. Every node writes what it runs into its own.');

/** A session may begin later, but not under a key that no session can have. */
function checkNewKey(key: string, agentIds: readonly string[]): void {
  const parsed = parseAgentSessionKey(key);
  if (!parsed) throw new UnknownSessionError({ session: key });
  checkAgent(parsed.agentId, agentIds);
}

export const DEBUG_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/debug',
    summary: 'The debug logs that are on, for which session and until when.',
    access: 'token',
    answer: (z) => z.object({ active: activeDebugLogs(z), node: node(z) }),
    handle: ({ services }) => ({ active: services.debug.list(), node: services.nodes.membership()?.node }),
  }),
  route({
    method: 'post',
    path: '/api/debug/on',
    summary: 'Switches debug logs on for a while.',
    detail:
      'It is kept in memory: a restart switches them off. [recorder.md](recorder.md#debug-logs) says what they hold.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        logs: logs(z),
        sessionKey: sessionKey(z).optional().describe('Only this session; without it, all of them.'),
        ms: z.int().min(1_000).max(MAX_DEBUG_MS).default(600_000).describe('For how long; ten minutes unless you say.'),
      }),
    answer: (z) =>
      z.object({
        active: activeDebugLogs(z),
        node: node(z),
        isKnown: z.boolean().describe('Whether there is a session of that key.'),
      }),
    handle: async ({ services, body, agentIds }) => {
      const { sessionKey: key } = body;
      const isKnown = key === undefined || (await services.store.count('sessions', { sessionKey: key })) > 0;
      if (!isKnown) checkNewKey(key, agentIds());
      services.debug.switchOn(body);
      return { active: services.debug.list(), node: services.nodes.membership()?.node, isKnown };
    },
  }),
  route({
    method: 'post',
    path: '/api/debug/off',
    summary: 'Switches off debug logs that were switched on while the gateway runs.',
    detail: 'What the environment or the configuration switched on stays on until the next start without it.',
    access: 'token',
    body: (z) => z.strictObject({ logs: logs(z), sessionKey: sessionKey(z).optional() }),
    answer: (z) => z.object({ active: activeDebugLogs(z) }),
    handle: ({ services, body }) => {
      services.debug.switchOff(body);
      return { active: services.debug.list() };
    },
  }),
];
