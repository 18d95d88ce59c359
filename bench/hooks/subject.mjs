// What is asked in these measurements: a hook of every run, an event and a context as a run has them, and three kinds of
// handlers. The work of the handlers is nothing, so that only the calling is measured.

import { HookRunner } from '../../build/bench/parts.js';

export const HOOK = 'before_prompt_build';

export const EVENT = { prompt: 'Hello.', messages: [] };

export const CONTEXT = {
  agentId: 'main',
  sessionKey: 'agent:main:web:direct:ana',
  sessionId: 'ses_1',
  runId: 'run_1',
  workspaceDir: '/home/ana/workspace',
  messageProvider: 'web',
  channelId: 'ana',
  accountId: 'default',
  senderId: 'ana',
  trigger: 'user',
  trace: { traceId: 't1', spanId: 's1', callDepth: 0 },
};

export const HANDLERS = {
  silent: () => undefined,
  answering: () => ({ appendContext: 'Mind the gap.' }),
  asynchronous: async () => undefined,
};

export function runnerWith(handler, count, settings = {}) {
  return withHandlers(new HookRunner(settings), handler, count);
}

export function withHandlers(runner, handler, count) {
  for (let index = 0; index < count; index++) {
    runner.register({ hook: HOOK, id: `handler-${index}`, owner: `plugin-${index}`, handler });
  }
  return runner;
}
