// Which parts of an agent's memory people on a platform can read, and which they cannot.

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
