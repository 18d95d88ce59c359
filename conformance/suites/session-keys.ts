// Suite session-keys: the grammar of keys, read (`classify`, everything that can be said of one key) and written.

import * as build from '../../src/protocol/build-session-key.ts';
import * as key from '../../src/protocol/session-key.ts';
import type { SuiteAdapter } from '../adapter.ts';

export const sessionKeys: SuiteAdapter = {
  classify: (input) => classify(input as string | null | undefined),
  toAgentStoreSessionKey: (input) => build.toAgentStoreSessionKey(input as StoreRequest),
  buildAgentMainSessionKey: (input) => build.buildAgentMainSessionKey(input as { agentId?: string; mainKey?: string }),
  buildAgentPeerSessionKey: (input) => build.buildAgentPeerSessionKey(input as build.AgentPeer),
  resolveThreadSessionKeys: (input) => {
    const keys = build.resolveThreadSessionKeys(input as build.Thread);
    return { sessionKey: keys.sessionKey, parentSessionKey: keys.parentSessionKey ?? null };
  },
  buildGroupHistoryKey: (input) =>
    build.buildGroupHistoryKey(input as Parameters<typeof build.buildGroupHistoryKey>[0]),
  resolveEventSessionKey: (input) => {
    const args = input as Parameters<typeof build.resolveEventSessionKey>;
    return {
      event: build.resolveEventSessionKey(...args),
      wake: { reason: 'r', ...build.resolveWakeTarget(...args) },
    };
  },
};

type StoreRequest = Parameters<typeof build.toAgentStoreSessionKey>[0];

function classify(raw: string | null | undefined): unknown {
  const suffix = key.parseThreadSuffix(raw);
  return {
    parse: key.parseAgentSessionKey(raw) ?? null,
    shape: key.classifySessionKeyShape(raw),
    isSubagent: key.isSubagentSessionKey(raw),
    isCron: key.isCronSessionKey(raw),
    isCronRun: key.isCronRunSessionKey(raw),
    isAcp: key.isAcpSessionKey(raw),
    subagentDepth: key.subagentDepthOfSessionKey(raw),
    threadSuffix: { base: suffix.baseSessionKey ?? null, threadId: suffix.threadId ?? null },
    conversation: key.parseConversationRef(raw) ?? null,
    normalized: key.normalizeSessionKey(raw),
    agentId: key.resolveAgentIdFromSessionKey(raw),
    requestKey: key.toAgentRequestSessionKey(raw) ?? null,
    promptMode: key.promptModeOfSessionKey(raw),
    promptSurface: promptSurface(raw),
  };
}

/** The reference's names for who runs the prompt; here it follows from the key's purpose. */
function promptSurface(raw: string | null | undefined): string {
  if (key.isSubagentSessionKey(raw)) return 'subagent';
  return key.isAcpSessionKey(raw) ? 'acp_backend' : 'pi_main';
}
