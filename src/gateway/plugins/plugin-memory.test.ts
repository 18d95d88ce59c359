import { describe, expect, it } from 'vitest';
import type { PluginRegistration } from '../../plugins/registration.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { registryOf } from '../../testkit/registry-of.ts';
import { ScratchWorkspace } from '../../testkit/scratch-workspace.ts';
import { toolContextForTest } from '../../testkit/tool-context.ts';
import { createMemoryTools } from '../../tools/memory/memory-tools.ts';
import { runTool } from '../../tools/run-tool.ts';
import { pluginMemory } from './plugin-memory.ts';

type Corpus = Omit<Extract<PluginRegistration, { kind: 'memory-corpus' }>, 'kind'>;

async function call(name: string, params: Record<string, string>, ...corpora: readonly (readonly [string, Corpus])[]) {
  const workspace = await ScratchWorkspace.create({ 'MEMORY.md': '# Tea\nGreen tea is kept in the tin.\n' });
  const warnings: string[] = [];
  const registry = registryOf(
    ...corpora.map(([id, corpus]) => ({
      id,
      registrations: [{ kind: 'memory-corpus', ...corpus } as PluginRegistration],
    })),
  );
  const supplements = pluginMemory({ registry, warn: (text) => warnings.push(text), timeoutMs: 30 });
  const policy = { withholdOnSharedSurfaces: [], subagentFiles: [], bootstrapFiles: [] };
  const rules = { policyOf: () => policy, lineageOf: async () => [] };
  const tool = createMemoryTools({ rules, now: Date.now, supplements }).find((each) => each.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  try {
    const output = await runTool(tool, params, toolContextForTest({ workspaceDir: workspace.workspaceDir }));
    return { ...output, warnings };
  } finally {
    await workspace.remove();
  }
}

const wiki: Corpus = {
  search: ({ query, agentSessionKey }): readonly JsonObject[] => [
    { corpus: 'wiki', path: 'tea/oolong', title: 'Oolong', score: 0.9, snippet: `${query} for ${agentSessionKey}` },
    { corpus: 'wiki', score: 0.1 },
  ],
  get: ({ lookup }) => (lookup === 'tea/oolong' ? { content: 'line one\nline two\nline three' } : null),
};

describe('memory_search', () => {
  it("finds what plugins know behind the agent's own notes, each under its plugin's name", async () => {
    const { content, details } = await call('memory_search', { query: 'tea' }, ['notes', wiki]);
    expect(content).toContain('MEMORY.md#L1');
    expect(content).toContain('notes:tea/oolong (Oolong), from the plugin notes\ntea for agent:main:main');
    expect(JSON.stringify(details)).toContain('notes:tea/oolong');
  });

  it('goes without a plugin that fails or hangs', async () => {
    const { content, warnings } = await call(
      'memory_search',
      { query: 'tea' },
      ['down', { search: () => Promise.reject(new Error('offline')) }],
      ['slow', { search: () => new Promise(() => {}) }],
      ['odd', { search: () => 'nothing' as never }],
    );
    expect(content).toContain('Green tea');
    expect(warnings).toEqual([
      'The memory of the plugin "down" could not be searched: offline',
      'The memory of the plugin "slow" could not be searched: The plugin "slow" did not answer within 30 ms: a search of its memory.',
    ]);
  });
});

describe('memory_get', () => {
  it('reads a place that the search has named', async () => {
    expect(await call('memory_get', { path: 'notes:tea/oolong' }, ['notes', wiki])).toMatchObject({
      content: 'line one\nline two\nline three',
    });
  });

  it('does not know a place that no plugin has', async () => {
    expect((await call('memory_get', { path: 'notes:gone' }, ['notes', wiki])).isError).toBe(true);
  });
});
