// What memory plugins bring, as far as there is a use for it here: lines for the system prompt become a contribution to
// before_prompt_build, and what can be searched becomes a corpus beside the workspace's notes.

import type { JsonObject } from '../../protocol/json.ts';
import type { HookHandlerRegistration, MemoryCorpusRegistration } from '../registration.ts';
import type { Problem } from './registration-intake.ts';

export function memoryPrompt(
  id: string,
  builder: (request: { availableTools: Set<string>; citationsMode: string }) => unknown,
  toolNames: () => Iterable<string>,
): HookHandlerRegistration {
  return {
    kind: 'hook',
    hook: 'before_prompt_build',
    id,
    handler: async () => {
      const lines = await builder({ availableTools: new Set(toolNames()), citationsMode: 'auto' });
      const text = (Array.isArray(lines) ? lines : [lines])
        .filter((line) => typeof line === 'string')
        .join('\n')
        .trim();
      return text === '' ? undefined : { appendSystemContext: text };
    },
  };
}

export function memoryCorpus(supplement: unknown): MemoryCorpusRegistration | Problem {
  const { search, get } = objectOf(supplement) ?? {};
  if (typeof search !== 'function') return { problem: 'it has no search function' };
  return {
    kind: 'memory-corpus',
    search: async (request) => listOf(await search.call(supplement, request)),
    ...(typeof get === 'function' && { get: async (request) => objectOf(await get.call(supplement, request)) }),
  };
}

/** The search of the plugin that holds the memory slot. Whether it can search shows only when it is asked. */
export function memoryRuntime(runtime: unknown, config: () => JsonObject): MemoryCorpusRegistration | Problem {
  const { getMemorySearchManager } = objectOf(runtime) ?? {};
  if (typeof getMemorySearchManager !== 'function') return { problem: 'it has no getMemorySearchManager function' };
  const managerFor = async (sessionKey: string | undefined): Promise<Record<string, unknown>> => {
    const agentId = /^agent:([^:]+):/.exec(sessionKey ?? '')?.[1] ?? 'main';
    const { manager } = (await getMemorySearchManager.call(runtime, { cfg: config(), agentId })) ?? {};
    return manager ?? {};
  };
  return {
    kind: 'memory-corpus',
    search: async ({ query, maxResults, agentSessionKey }) => {
      const manager = await managerFor(agentSessionKey);
      if (typeof manager.search !== 'function') return [];
      return listOf(await manager.search(query, { maxResults, sessionKey: agentSessionKey }));
    },
    get: async ({ lookup }) => {
      const manager = await managerFor(undefined);
      if (typeof manager.readFile !== 'function') return null;
      return objectOf(await manager.readFile({ relPath: lookup }));
    },
  };
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => objectOf(item) !== null) : [];
}

// biome-ignore lint/suspicious/noExplicitAny: functions among its fields are looked for one by one
function objectOf(value: unknown): Record<string, any> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}
