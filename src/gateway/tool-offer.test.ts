import { describe, expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { fail, reply, toolCall } from '../testkit/model-server.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';
import { toolForTest } from '../testkit/tool-for-test.ts';
import { createHttpApp } from './http/create-http-app.ts';

/** The names of the tools in a request to the model. */
function told(scratch: ScratchGateway, request = 0): readonly string[] {
  const { tools = [] } = scratch.model.requests[request]?.json as { tools?: { function: { name: string } }[] };
  return tools.map((tool) => tool.function.name);
}

/** What the model read as the result of its last call. */
function lastResult(scratch: ScratchGateway): unknown {
  const { messages } = scratch.model.requests.at(-1)?.json as { messages: { role: string; content: unknown }[] };
  return messages.findLast(({ role }) => role === 'tool')?.content;
}

function counted(name: string, owner?: string) {
  const ran: string[] = [];
  const run = async () => {
    ran.push(name);
    return { content: `${name} ran` };
  };
  return { tool: toolForTest(name, run, { owner }), ran };
}

const withModel = (config: object) => ({ agents: { defaults: { model: 'fake/small' } }, ...config });

describe('a tool that the policy refuses', () => {
  it('is neither offered nor run, even when the model calls it', async () => {
    const dig = counted('dig');
    const scratch = await gatewayForTest({ tools: [dig.tool], config: withModel({ tools: { deny: ['d*g'] } }) });
    scratch.model.script([toolCall('dig'), reply('I may not dig.')]);
    await scratch.channel.asks({}, 'Dig', 'I may not dig.');
    expect(told(scratch)).toContain('read');
    expect(told(scratch)).not.toContain('dig');
    expect(lastResult(scratch)).toContain('There is no tool "dig"');
    expect(dig.ran).toEqual([]);
  });

  it('is refused to one agent and given to another', async () => {
    const dig = counted('dig', 'garden');
    const list = [
      { id: 'main', tools: { profile: 'minimal' } },
      { id: 'digger', tools: { allow: ['garden'] } },
    ];
    const agents = { defaults: { model: 'fake/small' }, list };
    const scratch = await gatewayForTest({ tools: [dig.tool], config: { agents } });
    scratch.model.script([reply('No tools.'), toolCall('dig'), reply('Dug.')]);
    await scratch.channel.asks({}, 'Dig', 'No tools.');
    await scratch.channel.asks({}, 'Dig', 'Dug.', { agentId: 'digger' });
    expect(told(scratch)).toEqual(['session_status']);
    expect(told(scratch, 1)).toEqual(['dig']);
    expect(dig.ran).toEqual(['dig']);
  });

  it.each([
    ['fake/large', 'for the model that the policy refuses it to, when that one has to step in', true],
    ['fake/small', 'for another model that the policy would let, when the run was not told of it', false],
  ])('denied to %s does not run %s', async (denied, _, isTold) => {
    const dig = counted('dig');
    const scratch = await gatewayForTest({
      tools: [dig.tool],
      config: {
        agents: { defaults: { model: { primary: 'fake/small', fallbacks: ['fake/large'] } } },
        tools: { byProvider: { [denied]: { deny: ['dig'] } } },
      },
    });
    let isAsked = false;
    scratch.model.script(({ json }) => {
      if (json.model === 'small') return fail(401);
      if (isAsked) return reply('I may not dig.');
      isAsked = true;
      return toolCall('dig');
    });
    await scratch.channel.asks({}, 'Dig', 'I may not dig.');
    expect(told(scratch).includes('dig')).toBe(isTold);
    expect(lastResult(scratch)).toContain('There is no tool "dig"');
    expect(dig.ran).toEqual([]);
  });

  it('is no tool of a subagent', async () => {
    const scratch = await gatewayForTest({ tools: [counted('sessions_spawn').tool] });
    scratch.model.script([reply('From the main one.'), reply('From the small one.')]);
    await scratch.channel.asks({}, 'Hello', 'From the main one.', { sessionKey: 'agent:main:main' });
    await scratch.channel.asks({}, 'Hello', 'From the small one.', { sessionKey: 'agent:main:subagent:x' });
    expect(told(scratch)).toEqual(
      expect.arrayContaining(['read', 'session_status', 'sessions_list', 'sessions_spawn']),
    );
    expect(told(scratch, 1)).toContain('read');
    for (const name of ['session_status', 'sessions_list', 'sessions_history', 'sessions_spawn'])
      expect(told(scratch, 1)).not.toContain(name);
  });
});

describe('a tool that only the operator has', () => {
  const FORBIDDEN = 'only the operator has it, and jobs on a schedule';

  async function ruleIn(scratch: ScratchGateway, sessionKey: string): Promise<string | undefined> {
    const { tools } = await scratch.services.tools.explain({ sessionKey });
    return tools.find(({ name }) => name === 'gateway')?.rule;
  }

  it('is offered where only the operator speaks', async () => {
    const scratch = await gatewayForTest({ tools: [counted('gateway').tool] });
    for (const own of [
      'main',
      'web:direct:tab',
      'cli:direct:me',
      'api:direct:x',
      'cron:job',
      'notes',
      'main:heartbeat',
    ])
      expect([own, await ruleIn(scratch, `agent:main:${own}`)]).toEqual([own, 'no rule forbids it']);
    for (const shared of ['discord:direct:42', 'slack:channel:c', 'hook:x', 'direct:ana'])
      expect([shared, await ruleIn(scratch, `agent:main:${shared}`)]).toEqual([shared, FORBIDDEN]);
  });

  it('is not in a main session that all people share', async () => {
    const scratch = await gatewayForTest({
      tools: [counted('gateway').tool],
      config: withModel({ session: { dmScope: 'main' } }),
    });
    expect(await ruleIn(scratch, 'agent:main:main')).toBe(FORBIDDEN);
    expect(await ruleIn(scratch, 'agent:main:cron:job')).toBe('no rule forbids it');
  });

  it('is shown and refuses in the operator’s session when an agent wrote the message, so that the list stays the same', async () => {
    const gateway = counted('gateway');
    const scratch = await gatewayForTest({ tools: [gateway.tool] });
    const receives = async (sender: string, text = 'Hello') => {
      const surface = { channel: 'cli', accountId: 'default', peer: { kind: 'direct', id: 'me' } } as const;
      const { runId } = await scratch.services.inbox.receive({ surface, sender: { id: sender }, text, at: 0 });
      await scratch.services.runs.wait(runId);
      return scratch.model.requests.at(-1)?.json.tools;
    };
    scratch.model.script([reply('Yes?'), toolCall('gateway'), reply('No.'), toolCall('gateway'), reply('Done.')]);
    const tools = await receives('me');
    expect(told(scratch)).toContain('gateway');
    expect(await receives('agent:main')).toEqual(tools);
    expect(lastResult(scratch)).toContain('only the operator has it');
    expect(gateway.ran).toEqual([]);
    expect(await receives('me')).toEqual(tools);
    expect(gateway.ran).toEqual(['gateway']);
  });

  it('is not told of in a session of other people when an agent wrote the message', async () => {
    const scratch = await gatewayForTest({ tools: [counted('gateway').tool] });
    scratch.model.script([reply('Yes?')]);
    await scratch.channel.asks({ sender: 'agent:main' }, 'Hello', 'Yes?');
    expect(told(scratch)).not.toContain('gateway');
  });
});

describe('GET /api/tools/explain', () => {
  it('says for each tool whether it is offered, and which rule decided', async () => {
    const scratch = await gatewayForTest({
      tools: [counted('dig', 'garden').tool],
      config: withModel({
        agents: {
          defaults: { model: 'fake/small' },
          list: [{ id: 'main' }, { id: 'coder', tools: { deny: ['edit'] } }],
        },
        tools: { profile: 'coding', alsoAllow: ['garden'], deny: ['exce'], byProvider: { other: { deny: ['read'] } } },
      }),
    });
    const app = createHttpApp({
      services: scratch.services,
      agentIds: () => ['main', 'coder'],
      now: Date.now,
      token: 'test-token',
      allowedHosts: [],
      allowedOrigins: [],
      state: () => 'ready',
      warn: () => {},
    });
    const get = async (query: string) => {
      const headers = { authorization: 'Bearer test-token' };
      const response = await app.request(`/api/tools/explain?${query}`, { headers });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const { body } = await get('session=agent:coder:main');
    expect(body).toMatchObject({ agentId: 'coder', sessionKey: 'agent:coder:main', provider: 'fake', model: 'small' });
    expect(body.steps).toContainEqual({ source: 'agents.list[coder].tools', allow: null, deny: ['edit'] });
    expect(body.tools).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'read', isOffered: true, rule: 'tools.profile "coding"', owner: null }),
        expect.objectContaining({ name: 'edit', isOffered: false, rule: 'agents.list[coder].tools.deny "edit"' }),
        expect.objectContaining({ name: 'dig', isOffered: true, rule: 'tools.alsoAllow "garden"', owner: 'garden' }),
      ]),
    );
    const slip = 'tools.deny names "exce", which is no tool here. Did you mean "exec"?';
    expect(body.warnings).toEqual([slip]);
    expect((await scratch.services.status()).warnings).toContain(slip);

    const other = await get('agent=main&provider=other&model=x');
    expect(other.body.tools).toContainEqual(
      expect.objectContaining({ name: 'read', isOffered: false, rule: 'tools.byProvider["other"].deny "read"' }),
    );
    expect(other.body).toMatchObject({ agentId: 'main', sessionKey: 'agent:main:main', provider: 'other', model: 'x' });
    expect((await get('agent=codr')).body).toMatchObject({ error: { message: expect.stringContaining('coder') } });
    expect((await get('sesion=x')).status).toBe(400);
  });
});
