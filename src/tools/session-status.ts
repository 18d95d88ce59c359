// `session_status`: the time, and how a session is doing. A model has no clock, so it often asks only for that.

import { VERSION } from '../protocol/version.ts';
import { asDetails } from './format-rows.ts';
import { findSession, kindOfSession, lastRunOf, type SessionToolOptions } from './session-tools.ts';
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
      const session = await findSession(options, context, asked);
      const { sessionId, sessionKey } = session;
      const [messages, waiting, lastRun] = await Promise.all([
        store.count('transcript', { sessionId, kind: 'message' }),
        store.count('inbox', { sessionKey, status: 'queued' }),
        lastRunOf(store, sessionId),
      ]);
      const status = {
        now: new Date(now()).toISOString(),
        version: VERSION,
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
