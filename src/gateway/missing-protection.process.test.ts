// What an operator asked to be protected from, and Atrium cannot: it is refused, and not done without a word.

import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../protocol/json.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../testkit/model-server.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';

const ANA = { sender: 'ana' };

/** What the model read as the result of its last call. */
function lastResult({ model }: ScratchGateway): string {
  const { messages } = JSON.parse(model.requests.at(-1)?.body ?? '{}') as { messages: JsonObject[] };
  return String(messages.findLast(({ role }) => role === 'tool')?.content);
}

async function tries(scratch: ScratchGateway, name: string, params: JsonObject, options: object = {}): Promise<string> {
  scratch.model.script([toolCall(name, params), reply('I tried.')]);
  await scratch.channel.asks(ANA, 'Try', 'I tried.', options);
  return lastResult(scratch);
}

const WRITES: readonly (readonly [string, JsonObject])[] = [
  ['exec', { command: 'touch made' }],
  ['process', { action: 'list' }],
  ['write', { path: 'made', content: 'x' }],
  ['edit', { path: 'notes.md', oldText: 'milk', newText: 'bread' }],
  ['apply_patch', { input: '*** Begin Patch\n*** Add File: made\n+x\n*** End Patch' }],
];

const full = { tools: { exec: { security: 'full' } } } as const;
const files = { 'workspace/notes.md': 'Buy milk.\n' };

describe('a sandbox that was configured', () => {
  it('is missed by every tool that runs or writes something, which says so and names the way out', async () => {
    const scratch = await gatewayForTest({
      config: { ...full, agents: { defaults: { sandbox: { mode: 'all' } } } },
      files,
    });
    for (const [name, params] of WRITES) {
      const result = await tries(scratch, name, params);
      expect(result, name).toContain('agents.defaults.sandbox.mode is "all"');
      expect(result, name).toContain('"acceptUnused": ["agents.defaults.sandbox"]');
    }
    expect(await readdir(scratch.workspaceDir)).not.toContain('made');
    expect(await tries(scratch, 'read', { path: 'notes.md' })).toContain('Buy milk.');
  });

  it('is not missed by the main session when only the others should have been in it', async () => {
    const scratch = await gatewayForTest({
      config: { ...full, agents: { defaults: { sandbox: { mode: 'non-main' } } } },
      files,
    });
    expect(await tries(scratch, 'exec', { command: 'echo done' })).toContain('is "non-main"');
    expect(await tries(scratch, 'exec', { command: 'echo done' }, { sessionKey: 'main' })).toContain('done');
  });

  it.each([
    ['the operator accepted it', { acceptUnused: ['agents.defaults.sandbox'] }, {}],
    ['the agent has none of its own', {}, { list: [{ id: 'main', sandbox: { mode: 'off' } }] }],
  ])('is no hindrance when %s', async (_, top, agents) => {
    const config = { ...full, ...top, agents: { defaults: { sandbox: { mode: 'all' } }, ...agents } };
    const scratch = await gatewayForTest({ config, files });
    expect(await tries(scratch, 'exec', { command: 'echo done' })).toContain('done');
  });

  it('of one agent is missed by that agent only', async () => {
    const list = [{ id: 'main' }, { id: 'guest', sandbox: { mode: 'all' } }];
    const scratch = await gatewayForTest({ config: { ...full, agents: { list } }, files });
    expect(await tries(scratch, 'exec', { command: 'echo done' })).toContain('done');
    const refused = await tries(scratch, 'exec', { command: 'echo done' }, { agentId: 'guest' });
    expect(refused).toContain('agents.list[1].sandbox.mode is "all"');
  });

  it('has the tools of a sandbox: by default none that reach out, otherwise those of tools.sandbox.tools', async () => {
    const agents = { defaults: { sandbox: { mode: 'all' } } };
    const scratch = await gatewayForTest({ config: { agents }, files });
    expect(await tries(scratch, 'web_fetch', { url: 'http://example.org' })).toContain('There is no tool "web_fetch"');
    const widened = await gatewayForTest({
      config: { agents, tools: { sandbox: { tools: { alsoAllow: ['web_fetch'], deny: ['read'] } } } },
      files,
    });
    expect(await tries(widened, 'read', { path: 'notes.md' })).toContain('There is no tool "read"');
    expect(await tries(widened, 'web_fetch', { url: 'http://127.0.0.1:9' })).not.toContain('There is no tool');
  });
});

describe('what else should have kept tools back', () => {
  it.each([
    ['tools.exec.host', { exec: { security: 'full', host: 'node' } }],
    ['tools.toolsBySender', { exec: { security: 'full' }, toolsBySender: { '*': { deny: ['exec'] } } }],
  ])('%s refuses commands', async (path, tools) => {
    const scratch = await gatewayForTest({ config: { tools }, files });
    expect(await tries(scratch, 'exec', { command: 'touch made' })).toContain(path);
    expect(await readdir(scratch.workspaceDir)).not.toContain('made');
    const accepted = await gatewayForTest({ config: { tools, acceptUnused: [path] }, files });
    expect(await tries(accepted, 'exec', { command: 'echo done' })).toContain('done');
  });

  it('tools.exec.strictInlineEval makes "full" ask for what no rule allows', async () => {
    const config = { tools: { exec: { security: 'full', strictInlineEval: true, ask: 'off' } } };
    const scratch = await gatewayForTest({ config, files });
    expect(await tries(scratch, 'exec', { command: 'touch made' })).toContain('No rule allows this command');
  });

  it.each([
    ['web_fetch', { web: { fetch: { enabled: false } } }],
    ['apply_patch', { exec: { applyPatch: { enabled: false } } }],
  ])('%s is not there when it is switched off', async (name, tools) => {
    const scratch = await gatewayForTest({ config: { tools }, files });
    expect(await tries(scratch, name, {})).toContain(`There is no tool "${name}"`);
  });
});

describe('a tool that not every model or session has', () => {
  it('is apply_patch with tools.exec.applyPatch.allowModels, by the model with or without its provider', async () => {
    const patch = { input: '*** Begin Patch\n*** Add File: made\n+x\n*** End Patch' };
    const allowing = (...allowModels: string[]) =>
      gatewayForTest({ config: { tools: { exec: { applyPatch: { allowModels } } } }, files });
    const refused = await allowing('gpt-5', 'fake/large');
    expect(await tries(refused, 'apply_patch', patch)).toContain('There is no tool "apply_patch"');
    expect(await readdir(refused.workspaceDir)).not.toContain('made');
    for (const name of ['small', 'Fake/Small']) {
      const allowed = await allowing(name);
      await tries(allowed, 'apply_patch', patch);
      expect(await readdir(allowed.workspaceDir)).toContain('made');
    }
  });

  it('is the memory with memory.qmd.scope, by the session', async () => {
    const scope = { default: 'deny', rules: [{ action: 'allow', match: { keyPrefix: 'main' } }] };
    const scratch = await gatewayForTest({
      config: { memory: { backend: 'qmd', qmd: { scope } } },
      files: { ...files, 'workspace/memory/house.md': 'The key is under the stone.\n' },
    });
    const read = { path: 'memory/house.md' };
    expect(await tries(scratch, 'memory_get', read)).toContain('There is no tool "memory_get"');
    expect(await tries(scratch, 'memory_search', { query: 'key' })).toContain('There is no tool "memory_search"');
    expect(await tries(scratch, 'memory_get', read, { sessionKey: 'main' })).toContain('under the stone');
  });
});

describe('the approvals file of OpenClaw', () => {
  const approvals = (content: object | string) => ({
    ...files,
    'exec-approvals.json': typeof content === 'string' ? content : JSON.stringify(content),
  });

  it.each([
    ['for all agents', { defaults: { security: 'deny' } }],
    ['for this agent', { defaults: { security: 'full' }, agents: { main: { security: 'deny' } } }],
    ['for agents without an own entry', { agents: { '*': { security: 'deny' } } }],
    ['because it cannot be read', '{ "defaults": '],
  ])('switches commands off %s, although tools.exec.security is "full"', async (_, content) => {
    const scratch = await gatewayForTest({ config: full, files: approvals(content) });
    expect(await tries(scratch, 'exec', { command: 'touch made' })).toMatch(/switched off.*exec-approvals\.json/);
    expect(await readdir(scratch.workspaceDir)).not.toContain('made');
  });

  it('makes commands ask, and never allows more than tools.exec does', async () => {
    const asking = await gatewayForTest({ config: full, files: approvals({ defaults: { ask: 'always' } }) });
    asking.model.script([toolCall('exec', { command: 'touch made' })]);
    await asking.channel.asks(ANA, 'Try', /Approval needed/);
    const config = { tools: { exec: { security: 'deny' } } };
    const strict = await gatewayForTest({ config, files: approvals({ defaults: { security: 'full', ask: 'off' } }) });
    expect(await tries(strict, 'exec', { command: 'echo done' })).toContain('switched off');
    const empty = await gatewayForTest({ config: full, files: approvals({ version: 1, defaults: {}, agents: {} }) });
    expect(await tries(empty, 'exec', { command: 'echo done' })).toContain('done');
  });
});
