// `sessions_spawn`: hands a task to a child, a session of its own that works beside this one. The tool only says what
// can be asked for and hands it on; `agent/subagents/` decides and does it.
//
// Promise: one call spawns one child. A call that is repeated after a crash finds the child that it spawned.

import type { JsonObject } from '../protocol/json.ts';
import type { Tool, ToolContext, ToolOutput } from './tool.ts';

/** Spawns children. It never rejects for what a model asked: a refusal is an output with its reason. */
export interface SpawnPort {
  /** Resolves when the task is stored, so that it survives a crash, or with the reason why it was not accepted. */
  spawn(params: JsonObject, caller: ToolContext): Promise<ToolOutput>;
}

/** Where no gateway runs, tools are shown and never called. */
export const NO_SPAWN: SpawnPort = {
  spawn: () => Promise.reject(new Error('Nothing can be spawned, because no gateway is running.')),
};

/** Longer tasks are refused; large inputs belong into files. */
const MAX_TASK_CHARS = 100_000;

export function createSessionsSpawnTool({ port }: { readonly port: SpawnPort }): Tool {
  return {
    name: 'sessions_spawn',
    description: [
      'Hand a task to a subagent that works beside you in a session of its own. The call returns at once; the result comes later by itself, as an internal task completion event, so do not poll for it.',
      'With context "isolated" the subagent knows nothing of this conversation: write down all that it needs, and list the files and pages that it must read before it begins.',
    ].join(' '),
    parameters: sessionsSpawnSchema({ acpAvailable: false, threadAvailable: true }),
    idempotent: true,
    run: (params, context) => port.spawn(params, context),
  };
}

/** The parameters, where another runtime exists or not and where threads can be opened or not. */
export function sessionsSpawnSchema({
  acpAvailable,
  threadAvailable,
}: {
  readonly acpAvailable: boolean;
  readonly threadAvailable: boolean;
}): JsonObject {
  const seconds = { type: 'number', minimum: 0 };
  return {
    type: 'object',
    required: ['task'],
    properties: {
      task: { type: 'string', maxLength: MAX_TASK_CHARS, description: 'What is to be done, complete in itself.' },
      taskName: { type: 'string', description: 'A short name such as read_logs: [a-z][a-z0-9_]*.' },
      label: { type: 'string', description: 'What people read in lists.' },
      runtime: { type: 'string', enum: acpAvailable ? ['subagent', 'acp'] : ['subagent'] },
      agentId: { type: 'string', description: 'Another agent that does the work. Default: this one.' },
      model: { type: 'string' },
      thinking: { type: 'string' },
      cwd: { type: 'string' },
      runTimeoutSeconds: { ...seconds, description: 'How long the subagent may take. 0 means without a limit.' },
      timeoutSeconds: seconds,
      ...(threadAvailable
        ? { thread: { type: 'boolean', description: 'Open a thread for the subagent where people can talk to it.' } }
        : {}),
      mode: {
        type: 'string',
        enum: threadAvailable ? ['run', 'session'] : ['run'],
        description: 'run: one task. session: it stays and answers in its thread.',
      },
      cleanup: { type: 'string', enum: ['delete', 'keep'], description: 'Whether its session is kept afterwards.' },
      sandbox: { type: 'string', enum: ['inherit', 'require'] },
      context: {
        type: 'string',
        enum: ['isolated', 'fork'],
        description: 'isolated: it starts with the task alone. fork: it knows this conversation.',
      },
      lightContext: { type: 'boolean' },
      expectsCompletionMessage: {
        type: 'boolean',
        description: 'false: you are not told of its end.',
      },
      attachments: {
        type: 'array',
        maxItems: 50,
        items: {
          type: 'object',
          required: ['name', 'content'],
          properties: {
            name: { type: 'string' },
            content: { type: 'string' },
            encoding: { type: 'string', enum: ['utf8', 'base64'] },
            mimeType: { type: 'string' },
          },
        },
      },
      attachAs: { type: 'object', properties: { mountPath: { type: 'string' } } },
      ...(acpAvailable ? { resumeSessionId: { type: 'string' }, streamTo: { type: 'string', enum: ['parent'] } } : {}),
    },
  };
}
