// Which parts of an agent's memory people on a platform can read, and which they cannot.

import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCalls } from '../testkit/model-server.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';
import type { TestPlace } from '../testkit/test-channel.ts';
import { memoryPolicyOf } from './memory-policy.ts';

const files = { 'workspace/MEMORY.md': '# Keys\n\nThe spare key is under the pot.\n' };
const LOOK = [
  { name: 'memory_search', params: { query: 'spare key' } },
  { name: 'memory_get', params: { path: 'MEMORY.md' } },
] as const;

/** What the model reads when it searches for the key, for a message from this place. */
async function lookFrom(scratch: ScratchGateway, place: TestPlace): Promise<readonly string[]> {
  scratch.model.script([toolCalls(LOOK), reply('I looked.')]);
  await scratch.channel.asks(place, 'Where is the key?', 'I looked.');
  const { messages } = scratch.model.requests.at(-1)?.json as { messages: { role: string; content: string }[] };
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

describe('the memory of an agent', () => {
  it('is searched in a talk of two, and withheld in a group', async () => {
    const scratch = await gatewayForTest({ files });
    expect(await lookFrom(scratch, {})).toEqual([
      expect.stringContaining('MEMORY.md#L1-L3 (Keys)\n# Keys\n\nThe spare key is under the pot.'),
      expect.stringContaining('The spare key is under the pot.'),
    ]);
    const told = await lookFrom(scratch, { group: 'neighbours' });
    expect(told).toHaveLength(2);
    for (const result of told) expect(result).toMatch(/^The memory .* is withheld here, because several people read/);
    expect(JSON.stringify(scratch.model.requests.at(-1)?.json)).not.toContain('under the pot');
  });

  it('is open in a group when the operator says so', async () => {
    const config = { agents: { defaults: { model: 'fake/small' } }, bootstrap: { sharedSurfaces: { withhold: [] } } };
    const scratch = await gatewayForTest({ files, config });
    for (const result of await lookFrom(scratch, { group: 'neighbours' })) expect(result).toContain('under the pot');
  });
});

describe('the file tools in a group', () => {
  const PATCH = (lines: string) => `*** Begin Patch\n${lines}\n*** End Patch`;
  const TRIES = [
    { name: 'read', params: { path: 'MEMORY.md' } },
    { name: 'read', params: { path: './notes/../MEMORY.md' } },
    { name: 'read', params: { path: 'diary.md' } },
    { name: 'read', params: { path: 'memory/2026-05-06.md' } },
    { name: 'read', params: { path: 'journal/2026-05-06.md' } },
    { name: 'edit', params: { path: 'MEMORY.md', oldText: 'pot', newText: 'mat' } },
    { name: 'write', params: { path: 'memory/new.md', content: 'The key is gone.' } },
    { name: 'apply_patch', params: { input: PATCH('*** Delete File: MEMORY.md') } },
    {
      name: 'apply_patch',
      params: { input: PATCH('*** Update File: MEMORY.md\n*** Move to: open.md\n@@\n-# Keys\n+# Open') },
    },
    { name: 'apply_patch', params: { input: PATCH('*** Add File: memory/x.md\n+x') } },
  ] as const;
  const more = {
    ...files,
    'workspace/memory/2026-05-06.md': 'The pot is blue.\n',
    'workspace/USER.md': 'Ana, 4711.\n',
  };

  async function tryFrom(scratch: ScratchGateway, place: TestPlace, tries: Parameters<typeof toolCalls>[0]) {
    scratch.model.script([toolCalls(tries), reply('I tried.')]);
    await scratch.channel.asks(place, 'Where is the key?', 'I tried.');
    const { messages } = scratch.model.requests.at(-1)?.json as { messages: { role: string; content: string }[] };
    return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  }

  async function openHome(config: Config = {}): Promise<ScratchGateway> {
    const scratch = await gatewayForTest({
      files: more,
      config: { agents: { defaults: { model: 'fake/small' } }, ...config },
    });
    await symlink('MEMORY.md', join(scratch.workspaceDir, 'diary.md'));
    await symlink('memory', join(scratch.workspaceDir, 'journal'));
    return scratch;
  }

  it('withhold the memory by every way to it, in the words of the memory tools', async () => {
    const scratch = await openHome();
    const [words] = await lookFrom(scratch, { group: 'others' });
    const told = await tryFrom(scratch, { group: 'neighbours' }, TRIES);
    expect(told).toEqual(TRIES.map(() => words));
    expect(JSON.stringify(scratch.model.requests)).not.toMatch(/under the pot|pot is blue/);
    expect(await readdir(join(scratch.workspaceDir, 'memory'))).toEqual(['2026-05-06.md']);
    expect(await readFile(join(scratch.workspaceDir, 'MEMORY.md'), 'utf8')).toContain('under the pot');
  });

  it('withhold it in a channel too, and read every other file', async () => {
    const scratch = await openHome();
    const [memory, user] = await tryFrom(scratch, { channel: 'news' }, [
      { name: 'read', params: { path: 'MEMORY.md' } },
      { name: 'read', params: { path: 'USER.md' } },
    ]);
    expect(memory).toMatch(/^The memory .* is withheld here/);
    expect(user).toContain('4711');
  });

  it('read and change it in a talk of two', async () => {
    const scratch = await openHome();
    const told = await tryFrom(scratch, {}, TRIES.slice(0, 6));
    expect(told.join('\n')).not.toContain('withheld');
    expect(told.filter((text) => text.includes('under the pot'))).toHaveLength(3);
  });

  it('follow the setting of the operator, for other files as well', async () => {
    const scratch = await openHome({ bootstrap: { sharedSurfaces: { withhold: ['USER.md'] } } });
    const [memory, user] = await tryFrom(scratch, { group: 'neighbours' }, [
      { name: 'read', params: { path: 'MEMORY.md' } },
      { name: 'read', params: { path: 'USER.md' } },
    ]);
    expect(memory).toContain('under the pot');
    expect(user).toMatch(/^USER\.md is withheld here, because several people read this surface\./);
  });
});

describe('the policy of the memory tools', () => {
  const environment = readEnvironment({ HOME: '/home/ana' }, () => '/home/ana', join('/srv'));
  const policyOf = (config: Config, agentId = 'main') => memoryPolicyOf(() => config, environment)(agentId);

  it('is the one of the prompts', () => {
    expect(policyOf({})).toMatchObject({
      withholdOnSharedSurfaces: ['MEMORY.md', 'memory.md'],
      subagentFiles: ['AGENTS.md', 'SOUL.md', 'IDENTITY.md', 'USER.md', 'TOOLS.md'],
    });
    const bootstrap = { subagentFiles: ['AGENTS', 'MEMORY'], sharedSurfaces: { withhold: [] } };
    expect(policyOf({ bootstrap })).toMatchObject({
      withholdOnSharedSurfaces: [],
      subagentFiles: ['AGENTS.md', 'MEMORY.md'],
    });
    const agents = { list: [{ id: 'boa', taxonomy: 'openboa' as const }] };
    expect(policyOf({ agents }, 'boa').subagentFiles).toContain('AGENT.md');
  });
});
