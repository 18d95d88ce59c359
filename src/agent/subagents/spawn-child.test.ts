// A parent that hands tasks to children, in a whole gateway with a model that is told what to say in whose session.

import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { gate } from '../../testkit/gate.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { after as laterThan, reply, toolCall, toolCalls } from '../../testkit/model-server.ts';
import { allSystem, saying, settled, toolResults } from './fixtures/children-talk.ts';

const spawn = (params: JsonObject) => toolCall('sessions_spawn', params);
const MODEL = { model: 'fake/small' };

describe('sessions_spawn', () => {
  it('stores the child with its first trigger before it returns, and the child does the task in a session of its own', async () => {
    const scratch = await gatewayForTest({ files: { 'workspace/AGENTS.md': 'The shared rules.' } });
    scratch.model.script(
      saying({
        'Count the files': spawn({
          task: 'List the files.',
          taskName: 'list_files',
          label: 'Listing',
          expectsCompletionMessage: false,
        }),
        '{"status":"accepted"': reply('On it.'),
        'List the files.': reply('There are seven.'),
      }),
    );
    await scratch.channel.asks({}, 'Count the files', 'On it.');
    const [child] = await settled(scratch, 1);
    expect(child).toMatchObject({
      parentKey: 'agent:main:test:direct:owner',
      agentId: 'main',
      depth: 1,
      task: 'List the files.',
      taskName: 'list_files',
      label: 'Listing',
      owes: false,
    });
    expect(child?.childKey).toMatch(/^agent:main:subagent:[0-9a-f-]{36}$/);
    expect(child?.tools).toContain('read');
    const [run] = await scratch.store.select('runs', { where: { sessionKey: child?.childKey ?? '' } });
    expect(run?.outcome?.reply).toBe('There are seven.');
    // The child speaks through its parent.
    expect(scratch.channel.shown()).toEqual(['On it.']);
    const request = scratch.model.requests.find(({ body }) => body.includes('[Subagent Task]'));
    const said = (request?.json.messages as readonly JsonObject[]).map(({ role, content }) => [role, content]);
    expect(said.filter(([role]) => role !== 'system')).toEqual([
      [
        'user',
        '[Subagent Context] You work for the session "agent:main:test:direct:owner", at depth 1 of 1. Your last answer is handed back to it by itself.\n\n[Subagent Task]\nList the files.',
      ],
    ]);
    expect(allSystem(request)).toContain('## Subagent Context');
    expect(allSystem(request)).toContain('Use the tool `message` only when the task tells you to');
  });

  it('says which parameters have no effect, and takes any time', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(
      saying({
        Go: spawn({ task: 'Work.', runTimeoutSeconds: 1e15, thinking: 'high', foo: 1 }),
        '{"status":"accepted"': reply('On it.'),
        'Work.': reply('NO_REPLY'),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'On it.');
    expect(await settled(scratch, 1)).toMatchObject([{ runTimeoutMs: 315_360_000_000 }]);
    expect(JSON.parse(toolResults(scratch)[0] ?? '')).toMatchObject({ withoutEffect: ['thinking', 'foo'] });
  });

  it('refuses a taskName while a subagent of the session with that name is at work', async () => {
    const scratch = await gatewayForTest();
    const done = gate();
    const named = { task: 'Work.', taskName: 'work' };
    scratch.model.script(
      saying({
        Go: toolCalls([
          { name: 'sessions_spawn', params: named },
          { name: 'sessions_spawn', params: { ...named, task: 'Work twice.' } },
        ]),
        '{"status":"error"': reply('One of them.'),
        '{"status":"accepted"': reply('One of them.'),
        Again: spawn(named),
        'Work.': laterThan(done.opened, reply('NO_REPLY')),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'One of them.');
    expect(toolResults(scratch)).toContainEqual(
      JSON.stringify({
        status: 'error',
        error: 'A subagent of this session with the taskName "work" is still at work. Choose another taskName.',
      }),
    );
    done.open();
    await vi.waitFor(async () => expect((await settled(scratch, 1))[0]?.outcome).toBe('ok'), { timeout: 30_000 });
    await scratch.channel.asks({}, 'Again', 'One of them.');
    await settled(scratch, 2);
  });

  it('reads the workspace of the agent that works, not that of the one that asked', async () => {
    const scratch = await gatewayForTest({
      config: {
        agents: {
          defaults: MODEL,
          list: [{ id: 'main', default: true, subagents: { allowAgents: ['scout'] } }, { id: 'scout' }],
        },
      },
      files: {
        'workspace/AGENTS.md': 'Rules of the asking agent.',
        'workspace-scout/AGENTS.md': 'Rules of the scout.',
        'workspace-scout/MEMORY.md': 'A private memory.',
      },
    });
    scratch.model.script(
      saying({
        'Look around': spawn({ task: 'Scout ahead.', agentId: 'scout', expectsCompletionMessage: false }),
        '{"status":"accepted"': reply('Sent.'),
        'Scout ahead.': reply('All quiet.'),
      }),
    );
    await scratch.channel.asks({}, 'Look around', 'Sent.');
    const [child] = await settled(scratch, 1);
    expect(child?.childKey).toMatch(/^agent:scout:subagent:/);
    const system = allSystem(scratch.model.requests.find(({ body }) => body.includes('[Subagent Task]')));
    expect(system).toContain('Rules of the scout.');
    expect(system).not.toContain('Rules of the asking agent.');
    expect(system).not.toContain('A private memory.');
  });

  it.each([
    ['an agent that does not exist', { task: 'x', agentId: 'nobody' }, 'There is no agent "nobody"'],
    ['an agent that is not allowed', { task: 'x', agentId: 'scout' }, 'The agent "scout" may not be spawned'],
    ['a model that does not exist', { task: 'x', model: 'nowhere/big' }, 'The model "nowhere/big" cannot be used'],
    ['a place', { task: 'x', channel: 'general' }, 'sessions_spawn does not support "channel"'],
    ['a sandbox', { task: 'x', sandbox: 'require' }, 'There is no sandbox here'],
    ['a folder', { task: 'x', cwd: '/tmp' }, 'a child works in the workspace of its agent'],
  ])('refuses %s with a reason, and stores nothing', async (_, params, reason) => {
    const scratch = await gatewayForTest({
      config: { agents: { defaults: MODEL, list: [{ id: 'main', default: true }, { id: 'scout' }] } },
    });
    scratch.model.script([spawn(params), reply('Not possible.')]);
    await scratch.channel.asks({}, 'Go', 'Not possible.');
    expect(toolResults(scratch).join().replaceAll('\\"', '"')).toContain(reason);
    expect(await scratch.store.count('children')).toBe(0);
  });

  it('refuses to show the conversation to another agent', async () => {
    const list = [{ id: 'main', default: true, subagents: { allowAgents: ['scout'] } }, { id: 'scout' }];
    const scratch = await gatewayForTest({ config: { agents: { defaults: MODEL, list } } });
    scratch.model.script([spawn({ task: 'Go.', agentId: 'scout', context: 'fork' }), reply('Not possible.')]);
    await scratch.channel.asks({}, 'The code is 4711.', 'Not possible.');
    expect(toolResults(scratch).join()).toContain('is for subagents of the same agent');
    expect(await scratch.store.count('children')).toBe(0);
  });

  it('holds the number of children of a session and the depth, also for calls that are made at once', async () => {
    const scratch = await gatewayForTest({
      config: { agents: { defaults: { ...MODEL, subagents: { maxChildrenPerAgent: 2 } } } },
    });
    const task = (name: string) => ({
      name: 'sessions_spawn',
      params: { task: name, expectsCompletionMessage: false },
    });
    const open = gate();
    scratch.model.script(
      saying({
        'Do three things': toolCalls([task('One.'), task('Two.'), task('Three.')]),
        '{"status":"': reply('Done.'),
        One: { ...reply('1'), after: open.opened },
        Two: { ...reply('2'), after: open.opened },
      }),
    );
    await scratch.channel.asks({}, 'Do three things', 'Done.');
    expect(await scratch.store.count('children')).toBe(2);
    expect(toolResults(scratch).filter((text) => text.includes('maxChildrenPerAgent is 2'))).toHaveLength(1);
    open.open();
    await settled(scratch, 2);
    // A leaf is not offered the tool.
    const request = scratch.model.requests.find(({ body }) => body.includes('[Subagent Task]'));
    expect(JSON.stringify(request?.json.tools)).not.toContain('sessions_spawn');
  });
});
