// The caller of a tool in a test: an agent in its main session, for a person at a terminal.

import type { ToolContext } from '../tools/tool.ts';

export function toolContextForTest(changes: Partial<ToolContext> & Pick<ToolContext, 'workspaceDir'>): ToolContext {
  return {
    agentId: 'main',
    sessionKey: 'agent:main:main',
    sessionId: 'ses_test',
    runId: 'run_test',
    toolCallId: 'call_test',
    requester: { channel: 'cli', accountId: 'default', senderId: 'operator' },
    surface: { channel: 'cli', accountId: 'default', peer: { kind: 'direct', id: 'operator' } },
    signal: new AbortController().signal,
    ...changes,
  };
}
