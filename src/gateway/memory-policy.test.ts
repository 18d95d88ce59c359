// Which parts of an agent's memory people on a platform can read, and which they cannot.

import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
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

/** What the file tools tell the last one in a line of subagents that begins at this place. */
async function tryAsChildOf(
  scratch: ScratchGateway,
  place: TestPlace,
  tries: Parameters<typeof toolCalls>[0],
  { depth = 1, agentId = 'main', sessionKey }: { depth?: number; agentId?: string; sessionKey?: string } = {},
) {
  const told: string[] = [];
  const spawn = (task: string) =>
    toolCalls([{ name: 'sessions_spawn', params: { task, agentId, expectsCompletionMessage: false } }]);
  scratch.model.script(({ json }) => {
    const messages = json.messages as { role: string; content: string }[];
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const level = Number(
      /Level (\d)\./.exec(messages.findLast(({ role }) => role === 'user')?.content ?? '')?.[1] ?? 0,
    );
    if (level < depth) return results.length === 0 ? spawn(`Level ${level + 1}.`) : reply('Passed on.');
    if (results.length === 0) return toolCalls(tries);
    told.push(...results);
    return reply('I tried.');
  });
  await scratch.channel.says(place, 'Where is the key?', sessionKey === undefined ? {} : { sessionKey });
  await vi.waitFor(() => expect(told).toHaveLength(tries.length), { timeout: 30_000 });
  return told;
}

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

describe('the file tools in a group', () => {
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

describe('the file tools of a subagent', () => {
  const subagents = { maxSpawnDepth: 2, allowAgents: ['*'] };
  const agents = {
    defaults: { model: 'fake/small', subagents },
    list: [{ id: 'main', default: true }, { id: 'helper' }],
  };

  it.each([
    ['a group', { group: 'neighbours' }, 'several people read this surface'],
    ['a talk of two', {}, 'this session works without it'],
  ])('withhold the memory by every way to it, when its parent is in %s', async (_, place, because) => {
    const scratch = await openHome({ agents });
    const told = await tryAsChildOf(scratch, place, TRIES);
    const words = `The memory (MEMORY.md and memory/) is withheld here, because ${because}.`;
    expect(told).toEqual(TRIES.map(() => expect.stringContaining(words)));
    const asked = scratch.model.requests.filter(({ body }) => body.includes('[Subagent Task]'));
    expect(/under the pot|pot is blue/.test(JSON.stringify(asked))).toBe(false);
    expect(await readdir(join(scratch.workspaceDir, 'memory'))).toEqual(['2026-05-06.md']);
    expect(await readFile(join(scratch.workspaceDir, 'MEMORY.md'), 'utf8')).toContain('under the pot');
  });

  it('withhold the memory of another agent too', async () => {
    const scratch = await gatewayForTest({
      files: { 'workspace-helper/MEMORY.md': 'The spare key is under the pot.', 'workspace-helper/notes.md': 'Open.' },
      config: { agents },
    });
    const [memory, notes] = await tryAsChildOf(
      scratch,
      { group: 'neighbours' },
      [
        { name: 'read', params: { path: 'MEMORY.md' } },
        { name: 'read', params: { path: 'notes.md' } },
      ],
      { agentId: 'helper' },
    );
    expect(memory).toContain('is withheld here');
    expect(notes).toContain('Open.');
  });

  it('withhold every file that its prompt does not have, and open the others', async () => {
    const scratch = await openHome({ agents });
    await writeFile(join(scratch.workspaceDir, 'HEARTBEAT.md'), 'Look at the pot.');
    const told = await tryAsChildOf(
      scratch,
      {},
      ['HEARTBEAT.md', 'heartbeat.md', 'BOOTSTRAP.md', 'USER.md'].map((path) => ({ name: 'read', params: { path } })),
    );
    expect(told.slice(0, 3)).toEqual(
      ['HEARTBEAT.md', 'heartbeat.md', 'BOOTSTRAP.md'].map((name) =>
        expect.stringContaining(`${name} is withheld here, because this session works without it.`),
      ),
    );
    expect(told[3]).toContain('4711');
  });

  it('follow the setting of the operator, and at any depth the rule of the place that it all began in', async () => {
    const bootstrap = { subagentFiles: ['AGENTS', 'MEMORY'] };
    const look = [{ name: 'read', params: { path: 'MEMORY.md' } }];
    const scratch = await openHome({ agents, bootstrap });
    expect(await tryAsChildOf(scratch, {}, look, { depth: 2 })).toEqual([expect.stringContaining('under the pot')]);
    // The operator writes into the session of the group from a private place.
    const sessionKey = 'agent:main:test:group:neighbours';
    const withheld = [expect.stringContaining('because several people read this surface')];
    expect(await tryAsChildOf(scratch, {}, look, { depth: 2, sessionKey })).toEqual(withheld);
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
