// `session_status`: the time, and how a session is doing. A model has no clock, so it often asks only for that.

import { VERSION } from '../protocol/version.ts';
import { asDetails } from './format-rows.ts';
import { findSession, kindOfSession, lastRunOf, NOT_BEGUN, type SessionToolOptions } from './session-tools.ts';
import type { Tool } from './tool.ts';

interface SessionStatusParams {
  readonly sessionKey?: string;
}

export function createSessionStatusTool(options: SessionToolOptions): Tool {
  const { store, now } = options;
  return {
    name: 'session_status',
    description:
      'Show the current time and the state of a session: age, messages, waiting messages, last run and its usage.',
    parameters: {
      type: 'object',
      properties: {
        sessionKey: {
          type: 'string',
          minLength: 1,
          description: 'The key or the id of a session of this agent; this one by default.',
        },
      },
      additionalProperties: false,
    },
    idempotent: true,
    async run(params, context) {
      const { sessionKey: asked = context.sessionId } = params as unknown as SessionStatusParams;
      const found = await findSession(options, context, asked);
      const time = { now: new Date(now()).toISOString(), version: VERSION };
      if (!found.hasBegun) {
        const { sessionKey, agentId, surface } = found.address;
        const waiting = await store.count('inbox', { sessionKey, status: 'queued' });
        const about = { agentId, key: sessionKey, kind: kindOfSession(sessionKey), channel: surface?.channel };
        const status = { ...time, ...about, state: NOT_BEGUN, messages: 0, waiting };
        return { content: JSON.stringify(status, null, 1), details: asDetails(status) };
      }
      const { session } = found;
      const { sessionId, sessionKey } = session;
      const [messages, waiting, lastRun] = await Promise.all([
        store.count('transcript', { sessionId, kind: 'message' }),
        store.count('inbox', { sessionKey, status: 'queued' }),
        lastRunOf(store, sessionId),
      ]);
      const status = {
        ...time,
        agentId: session.agentId,
        key: sessionKey,
        kind: kindOfSession(sessionKey),
        channel: session.surface?.channel,
        sessionId,
        startedAt: new Date(session.startedAt).toISOString(),
        activeAt: new Date(session.activeAt).toISOString(),
        ...(session.endedAt === null
          ? {}
          : { endedAt: new Date(session.endedAt).toISOString(), endReason: session.endReason }),
        messages,
        waiting,
        lastRun,
      };
      return { content: JSON.stringify(status, null, 1), details: asDetails(status) };
    },
  };
}
