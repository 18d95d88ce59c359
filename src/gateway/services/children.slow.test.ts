// How children end before they end by themselves, what they may use, and what is left of them, in a whole gateway.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  allSystem,
  saying,
  settled,
  tellings,
  toldLast,
  toolResults,
} from '../../agent/subagents/fixtures/children-talk.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { gate } from '../../testkit/gate.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { hang, after as laterThan, reply, toolCall, toolCalls } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { sayLine } from '../say-line.ts';

const spawn = (params: JsonObject) => toolCall('sessions_spawn', params);
const ACCEPTED = '{"status":"accepted"';
const EVENT = '[Internal task completion event]';
const KEY = 'agent:main:test:direct:owner';
const MODEL = { model: 'fake/small' };
const DEEP = { agents: { defaults: { ...MODEL, subagents: { maxSpawnDepth: 2 } } } };

const childrenOf = ({ store }: ScratchGateway) => store.select('children', { orderBy: [['seq', 'asc']] });

/** Resolves when this many children are at work with the model. */
async function atWork(scratch: ScratchGateway, tasks: readonly string[]): Promise<void> {
  await vi.waitFor(
    () => {
      const told = scratch.model.requests.map(toldLast);
      for (const task of tasks) expect(told).toContain(task);
    },
    { timeout: 30_000 },
  );
}

describe('a child that is stopped', () => {
  it('takes its descendants along, and the parent is told once', async () => {
    const scratch = await gatewayForTest({ config: DEEP });
    scratch.model.script(
      saying({
        Go: spawn({ task: 'Outer.', taskName: 'outer' }),
        'Outer.': toolCalls([
          { name: 'sessions_spawn', params: { task: 'Inner 1.' } },
          { name: 'sessions_spawn', params: { task: 'Inner 2.' } },
        ]),
        [ACCEPTED]: reply('Under way.'),
        'Inner 1.': hang('So far'),
        'Inner 2.': hang('So far'),
        [EVENT]: reply('It was stopped.'),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'Under way.');
    await atWork(scratch, ['Inner 1.', 'Inner 2.']);
    const { children } = scratch.services;
    const [child] = await children.list({ parentKey: KEY });
    expect(child?.endedAt).toBeNull();
    expect(await children.show(KEY, 'outer')).toMatchObject({ sessionKey: child?.sessionKey, state: 'waiting' });
    expect(await children.kill(child?.sessionKey ?? '')).toBe(true);
    expect(await children.kill(child?.sessionKey ?? '')).toBe(false);
    await scratch.channel.expectDelivered('It was stopped.');
    const rows = await childrenOf(scratch);
    expect(rows.map(({ outcome, isAnswered }) => [outcome, isAnswered])).toEqual([
      ['killed', true],
      ['killed', true],
      ['killed', true],
    ]);
    expect(tellings(scratch)).toHaveLength(1);
    expect(tellings(scratch)[0]).toContain('status: stopped before it was done');
    const [tree] = await children.list({ parentKey: KEY });
    expect(tree?.state).toBe('killed');
    expect(tree?.children.map(({ state }) => state)).toEqual(['killed', 'killed']);
    scratch.channel.expectNothingMore();
  });

  it('is told also when it had not begun, and when a person stopped its run', async () => {
    const scratch = await gatewayForTest({
      config: { agents: { defaults: { ...MODEL, subagents: { maxConcurrent: 1 } } } },
    });
    const task = (name: string) => ({ name: 'sessions_spawn', params: { task: name } });
    scratch.model.script(
      saying({
        Go: toolCalls([task('First.'), task('Second.')]),
        [ACCEPTED]: reply('Under way.'),
        'First.': hang('So far'),
        'Second.': hang('So far'),
        Hello: reply('Hello.'),
        [EVENT]: (told) => reply(told.includes('| First.') ? 'First is over.' : 'Second is over.'),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'Under way.');
    await vi.waitFor(() => expect(scratch.model.requests.map(toldLast)).toContain('First.'), { timeout: 30_000 });
    // Children that fill their slots keep nobody else waiting.
    await scratch.channel.asks({ sender: 'bob' }, 'Hello', 'Hello.');
    const [first, second] = await childrenOf(scratch);
    expect((await scratch.services.children.list({ parentKey: KEY })).map(({ state }) => state)).toEqual([
      'running',
      'queued',
    ]);
    expect(await scratch.services.runs.stop(second?.runId ?? '', 'a person stopped it')).toBe(true);
    await scratch.channel.expectDelivered('Second is over.');
    expect(await scratch.services.runs.stop(first?.runId ?? '', 'a person stopped it')).toBe(true);
    await scratch.channel.expectDelivered('First is over.');
    expect((await childrenOf(scratch)).map(({ outcome }) => outcome)).toEqual(['killed', 'killed']);
  });

  it('is told with its reason when its session was reset or deleted', async () => {
    const scratch = await gatewayForTest();
    const task = (name: string) => ({ name: 'sessions_spawn', params: { task: name } });
    scratch.model.script(
      saying({
        Go: toolCalls([task('First.'), task('Second.')]),
        [ACCEPTED]: reply('Under way.'),
        'First.': hang('So far'),
        'Second.': hang('So far'),
        [EVENT]: (told) => reply(`Heard: ${/status: (.*)/.exec(told)?.[1]}`),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'Under way.');
    await atWork(scratch, ['First.', 'Second.']);
    const [first, second] = await childrenOf(scratch);
    await scratch.services.sessions.reset(first?.childKey ?? '');
    await scratch.channel.expectDelivered('Heard: given up, because its session was reset');
    await scratch.services.sessions.delete(second?.childKey ?? '');
    await scratch.channel.expectDelivered('Heard: given up, because its session was deleted');
    const [, deleted] = await childrenOf(scratch);
    expect(deleted).toMatchObject({ outcome: 'deleted', task: '', result: null });
  });
});

describe('a child that has not begun', () => {
  /** One child is at work, so the other two wait. */
  async function withWaiting() {
    const scratch = await gatewayForTest({
      config: { agents: { defaults: { ...MODEL, subagents: { maxConcurrent: 1 } } } },
    });
    const task = (name: string) => ({ name: 'sessions_spawn', params: { task: name } });
    const first = gate();
    let childKey = '';
    scratch.model.script(
      saying({
        Go: toolCalls([task('First.'), task('Second.'), task('Third.')]),
        [ACCEPTED]: reply('Under way.'),
        'First.': laterThan(first.opened, reply('One.')),
        'Second.': reply('Two.'),
        'Third.': reply('Three.'),
        'Tell it': () => toolCall('sessions_send', { sessionKey: childKey, message: 'In red.', timeoutSeconds: 0 }),
        'The message was sent.': reply('Told.'),
        '[Everything below': reply('Two, in red.'),
        'How is it': () =>
          toolCalls([
            { name: 'session_status', params: { sessionKey: childKey } },
            { name: 'sessions_history', params: { sessionKey: childKey } },
          ]),
        '{"sessionKey"': reply('It waits.'),
        [EVENT]: (told) =>
          reply(`Heard: ${/status: (.*)/.exec(told)?.[1]} ${/\n\| (One|Two.*|Three)\./.exec(told)?.[1]}`),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'Under way.');
    await atWork(scratch, ['First.']);
    const [, second, third] = await childrenOf(scratch);
    childKey = second?.childKey ?? '';
    return { scratch, first, second: childKey, third: third?.childKey ?? '' };
  }

  it('is reached by its parent under the key that the parent was told', async () => {
    const { scratch, first } = await withWaiting();
    await scratch.channel.asks({}, 'Tell it', 'Told.');
    first.open();
    await vi.waitFor(
      async () => expect((await childrenOf(scratch))[1]).toMatchObject({ outcome: 'ok', result: 'Two, in red.' }),
      { timeout: 30_000 },
    );
    const told = scratch.model.requests.map(toldLast);
    expect(told.indexOf('Second.')).toBeLessThan(told.findIndex((text) => text.startsWith('[Everything below')));
  });

  it('is said to wait by the tools and by those who look it up, and not to be unknown', async () => {
    const { scratch, first, second } = await withWaiting();
    await scratch.channel.asks({}, 'How is it', 'It waits.');
    const [status = '', history = ''] = toolResults(scratch).slice(-2);
    const state = 'waiting: its task was accepted, and it has not begun';
    expect(JSON.parse(status)).toMatchObject({ key: second, kind: 'subagent', state, messages: 0, waiting: 1 });
    expect(JSON.parse(history)).toEqual({ sessionKey: second, state, total: 0, shown: 0, messages: [] });
    const { sessions } = scratch.services;
    await expect(sessions.describe(second)).rejects.toMatchObject({ code: 'ATRIUM_SESSION_NOT_BEGUN', status: 409 });
    await expect(sessions.describe(`${second}0`)).rejects.toMatchObject({ code: 'ATRIUM_SESSION_UNKNOWN' });
    first.open();
  });

  it('is ended by the reset or the deletion of its key, and never runs', async () => {
    const { scratch, first, second, third } = await withWaiting();
    const { sessions } = scratch.services;
    expect(await sessions.reset(await sessions.findKey(second))).toBe(true);
    await scratch.channel.expectDelivered(/session was reset/);
    expect(await sessions.delete(await sessions.findKey(third))).toBe(true);
    await scratch.channel.expectDelivered(/session was deleted/);
    first.open();
    await scratch.channel.expectDelivered(/One/);
    const told = scratch.model.requests.map(toldLast);
    expect(told.filter((text) => text === 'Second.' || text === 'Third.')).toEqual([]);
    expect((await childrenOf(scratch)).map(({ outcome }) => outcome)).toEqual(['ok', 'reset', 'deleted']);
    await expect(sessions.findKey(`${third}0`)).rejects.toThrow(/session/);
  });
});

describe('the time of a child', () => {
  it('goes on while the gateway stops and waits for the runs that have begun', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(
      saying({
        Go: spawn({ task: 'Work.', runTimeoutSeconds: 1 }),
        [ACCEPTED]: reply('Under way.'),
        'Work.': hang('So far'),
        [EVENT]: reply('It took too long.'),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'Under way.');
    await atWork(scratch, ['Work.']);
    // Without the end of the child, the gateway would wait for it as long as it may.
    await scratch.stop(600_000);
    const stoppedAt = Date.now();
    await scratch.start();
    await scratch.channel.expectDelivered('It took too long.');
    const [child] = await childrenOf(scratch);
    expect(child?.outcome).toBe('timeout');
    expect(child?.endedAt).toBeLessThanOrEqual(stoppedAt);
  });

  it('is over after runTimeoutSeconds, also for one that an earlier process started', async () => {
    let now = Date.parse('2026-11-16T10:00:00Z');
    const scratch = await gatewayForTest({ now: () => now });
    scratch.model.script(
      saying({
        Go: spawn({ task: 'Work.', runTimeoutSeconds: 600 }),
        [ACCEPTED]: reply('Under way.'),
        'Work.': hang('So far'),
        [EVENT]: reply('It took too long.'),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'Under way.');
    await atWork(scratch, ['Work.']);
    await scratch.stop(0);
    now += 601_000;
    await scratch.start();
    await scratch.channel.expectDelivered('It took too long.');
    expect((await childrenOf(scratch))[0]).toMatchObject({ outcome: 'timeout', error: 'It took longer than 600 s.' });
    expect(tellings(scratch)[0]).toContain('status: timed out');
  });
});

describe('the session of a child', () => {
  it('is removed when it was not to be kept, once the parent has read the result', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(
      saying({
        Go: spawn({ task: 'Work.', cleanup: 'delete' }),
        [ACCEPTED]: reply('Under way.'),
        'Work.': reply('A secret.'),
        [EVENT]: reply('It is done.'),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'Under way.');
    await scratch.channel.expectDelivered('It is done.');
    await vi.waitFor(
      async () => {
        const [child] = await childrenOf(scratch);
        expect(child).toMatchObject({ outcome: 'ok', task: '', result: null, cleanup: 'keep' });
        const [session] = await scratch.store.select('sessions', { where: { sessionKey: child?.childKey ?? '' } });
        expect(session?.endReason).toBe('deleted');
      },
      { timeout: 30_000 },
    );
  });

  it('can be told something by the parent while it works, and its last answer is the result', async () => {
    const scratch = await gatewayForTest();
    const slow = gate();
    let childKey = '';
    scratch.model.script(
      saying({
        Go: spawn({ task: 'Work.' }),
        [ACCEPTED]: reply('Under way.'),
        'Work.': laterThan(slow.opened, reply('Half of it.')),
        'Tell it': () => toolCall('sessions_send', { sessionKey: childKey, message: 'In red.', timeoutSeconds: 0 }),
        'The message was sent.': reply('Told.'),
        '[Everything below': reply('All of it, in red.'),
        [EVENT]: (told) => reply(told.includes('| All of it, in red.') ? 'It is red.' : 'It is half done.'),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'Under way.');
    await atWork(scratch, ['Work.']);
    childKey = (await childrenOf(scratch))[0]?.childKey ?? '';
    await scratch.channel.asks({}, 'Tell it', 'Told.');
    slow.open();
    await scratch.channel.expectDelivered('It is red.');
    expect(await settled(scratch, 1)).toMatchObject([{ outcome: 'ok', result: 'All of it, in red.' }]);
    scratch.channel.expectNothingMore();
  });
});

describe('the people of a parent', () => {
  it('read which subagent asks for an approval, and can answer it where they read it', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'before_tool_call', 'careful', ({ toolName }) =>
          toolName === 'read' ? { requireApproval: { title: 'Look', description: 'It looks.' } } : undefined,
        ),
    });
    scratch.model.script(
      saying({
        Go: spawn({ task: 'Work.', label: 'Looker' }),
        [ACCEPTED]: reply('Under way.'),
        'Work.': toolCall('read', { path: 'AGENTS.md' }),
        [EVENT]: (told) => reply(told.includes('| Seen.') ? 'It was seen.' : 'It was not seen.'),
        '': reply('Seen.'),
      }),
    );
    await scratch.channel.asks({ sender: 'ana' }, 'Go', 'Under way.');
    const { text } = await scratch.channel.expectDelivered(/^Approval needed: Look/, { sender: 'ana' });
    expect(text).toContain('\n\nThe subagent Looker asks for it.\n\n');
    const [approval] = await scratch.store.select('approvals');
    const answer = `/approve ${approval?.id} allow-once`;
    await scratch.channel.asks({ sender: 'ben' }, answer, /^There is no approval/);
    await scratch.channel.asks({ sender: 'ana' }, answer, /allowed once/);
    await scratch.channel.expectDelivered('It was seen.', { sender: 'ana' });
  });

  it('are told nothing by the session of a child, unless it has a thread', async () => {
    const scratch = await gatewayForTest({ channel: { can: ['threads'] } });
    scratch.model.script(
      saying({
        Go: spawn({ task: 'Work.', expectsCompletionMessage: false }),
        Thread: spawn({ task: 'Talk.', thread: true }),
        [ACCEPTED]: reply('Under way.'),
        'Work.': reply('Done.'),
        'Talk.': reply('Hello.'),
      }),
    );
    const { store } = scratch;
    const parts = { store, delivery: scratch.opened.plugins.hosting.delivery(), now: Date.now };
    await scratch.channel.asks({ group: 'team' }, 'Go', 'Under way.');
    await scratch.channel.says({ group: 'team' }, 'Thread');
    const [silent, open] = await settled(scratch, 2);
    await scratch.channel.expectDelivered('Under way.', { group: 'team' });
    const thread = { group: 'team', thread: open?.boundTo?.threadId ?? '' };
    await scratch.channel.expectDelivered('Hello.', thread);
    await sayLine(parts, silent?.childKey ?? '', 'A line of a hook pack.');
    await sayLine(parts, open?.childKey ?? '', 'A line in the thread.');
    await scratch.channel.expectDelivered('A line in the thread.', thread);
    scratch.channel.expectNothingMore();
  });
});

describe('what a child may use', () => {
  it('is never more than its parent was offered, even where its own agent has more', async () => {
    const scratch = await gatewayForTest({
      config: {
        agents: {
          defaults: MODEL,
          list: [
            {
              id: 'main',
              default: true,
              tools: { allow: ['sessions_spawn', 'read'] },
              subagents: { allowAgents: ['*'] },
            },
            { id: 'strong', tools: { allow: ['read', 'write', 'exec'] } },
          ],
        },
      },
    });
    scratch.model.script(
      saying({
        Go: spawn({ task: 'Work.', agentId: 'strong', expectsCompletionMessage: false }),
        [ACCEPTED]: reply('Under way.'),
        'Work.': reply('Done.'),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'Under way.');
    const [child] = await settled(scratch, 1);
    const request = scratch.model.requests.find(({ body }) => body.includes('[Subagent Task]'));
    const names = (request?.json.tools as readonly { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(names).toEqual(['read']);
    const explained = await scratch.services.tools.explain({ sessionKey: child?.childKey });
    expect(explained.tools.find(({ name }) => name === 'write')).toMatchObject({
      isOffered: false,
      rule: 'the session that spawned this one does not have it',
    });
  });
});

describe('what a child knows', () => {
  it('is the conversation so far with a fork, without the call that spawned it', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(
      saying({
        'My name is Ann': reply('Hello Ann.'),
        'Go on': spawn({ task: 'Greet.', context: 'fork', expectsCompletionMessage: false }),
        [ACCEPTED]: reply('Under way.'),
        'Greet.': reply('Hello Ann, again.'),
      }),
    );
    await scratch.channel.asks({}, 'My name is Ann', 'Hello Ann.');
    await scratch.channel.asks({}, 'Go on', 'Under way.');
    expect(await settled(scratch, 1)).toMatchObject([{ context: 'fork' }]);
    const request = scratch.model.requests.find(({ body }) => body.includes('[Subagent Task]'));
    const said = (request?.json.messages as readonly JsonObject[]).filter(({ role }) => role !== 'system');
    expect(said.map(({ role, content }) => `${role}: ${content}`).slice(0, -1)).toEqual([
      'user: My name is Ann',
      'assistant: Hello Ann.',
      'user: Go on',
    ]);
  });

  it('is not a private conversation where other people read', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(
      saying({
        'Go on': spawn({ task: 'Greet.', context: 'fork' }),
        '{"status":"forbidden"': reply('Not possible.'),
      }),
    );
    // The operator's own session answers in a group here.
    await scratch.channel.says({ group: 'team' }, 'Go on', { sessionKey: 'agent:main:main' });
    await scratch.channel.expectDelivered('Not possible.');
    expect(toolResults(scratch).join()).toContain('would show this private conversation');
    expect(await scratch.store.count('children')).toBe(0);
  });

  it('includes attached files in a folder of its own, and none elsewhere', async () => {
    const scratch = await gatewayForTest({ files: { 'workspace/AGENTS.md': 'The rules.' } });
    const attach = (name: string, mountPath: string) =>
      spawn({
        task: 'Read.',
        attachments: [{ name, content: 'Remember the milk.' }],
        attachAs: { mountPath },
        expectsCompletionMessage: false,
      });
    scratch.model.script(
      saying({
        Go: attach('notes.txt', 'inbox'),
        Replace: attach('AGENTS.md', '.'),
        Leave: attach('AGENTS.md', '../..'),
        Remember: attach('MEMORY.md', 'inbox'),
        [ACCEPTED]: reply('Under way.'),
        'Read.': reply('Done.'),
        '{"status":"error"': reply('Not possible.'),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'Under way.');
    await scratch.channel.asks({}, 'Replace', 'Under way.');
    const children = await settled(scratch, 2);
    const [first, second] = children.map(({ childKey }) => `attachments/${childKey.split(':').at(-1)}`);
    const read = (path: string) => readFile(join(scratch.workspaceDir, path), 'utf8');
    expect(await read(`${first}/inbox/notes.txt`)).toBe('Remember the milk.');
    expect(await read(`${second}/AGENTS.md`)).toBe('Remember the milk.');
    const request = scratch.model.requests.find(({ body }) => body.includes('[Subagent Task]'));
    expect(request?.body).toContain(`These files were attached, in the folder \\"${first}/inbox\\": \\"notes.txt\\".`);
    await scratch.channel.asks({}, 'Leave', 'Not possible.');
    await scratch.channel.asks({}, 'Remember', 'Not possible.');
    expect(toolResults(scratch).join()).toMatch(/attachAs\.mountPath must lead below.*MEMORY\.md.* is withheld here/s);
    expect(await read('AGENTS.md')).toBe('The rules.');
    expect(await scratch.store.count('children')).toBe(2);
  });

  it('never includes MEMORY.md, BOOTSTRAP.md or HEARTBEAT.md, whatever handlers do', async () => {
    const secret = (name: string) => `The marker of ${name}.`;
    const names = ['MEMORY.md', 'BOOTSTRAP.md', 'HEARTBEAT.md'];
    const scratch = await gatewayForTest({
      files: Object.fromEntries([
        ['workspace/AGENTS.md', 'The shared rules.'],
        ...names.map((name) => [`workspace/${name}`, secret(name)]),
        ...names.map((name) => [name, secret(name)]),
        ...names.map((name) => [`agents/main/${name}`, secret(name)]),
      ]),
      config: { ...DEEP, bootstrap: { 'bootstrap-extra-files': { enabled: true, files: names } } },
      register: (hooks) =>
        hooks.register({
          hook: 'agent:bootstrap',
          id: 'leaky',
          owner: 'leaky',
          handler: (event: { context: { bootstrapFiles: { name: string; path: string; content: string }[] } }) => {
            for (const name of names) event.context.bootstrapFiles.push({ name, path: name, content: secret(name) });
          },
        } as never),
    });
    scratch.model.script(
      saying({
        Go: spawn({ task: 'Outer.' }),
        'Outer.': spawn({ task: 'Inner.' }),
        [ACCEPTED]: reply('Under way.'),
        'Inner.': reply('Done.'),
        [EVENT]: reply('Done.'),
      }),
    );
    await scratch.channel.asks({}, 'Go', 'Under way.');
    await scratch.channel.expectDelivered('Done.');
    const requests = scratch.model.requests.filter(({ body }) => body.includes('[Subagent Task]'));
    expect(requests.length).toBeGreaterThanOrEqual(4);
    for (const request of requests) {
      expect(allSystem(request)).toContain('The shared rules.');
      for (const name of names) expect(request.body).not.toContain(secret(name));
    }
  });

  it('of a group has no MEMORY.md at any depth, even where subagents may read it', async () => {
    const scratch = await gatewayForTest({
      files: { 'workspace/AGENTS.md': 'The shared rules.', 'workspace/MEMORY.md': 'A private memory.' },
      config: { ...DEEP, bootstrap: { subagentFiles: ['AGENTS.md', 'MEMORY.md'] } },
    });
    scratch.model.script(
      saying({
        Go: spawn({ task: 'Outer.' }),
        'Outer.': spawn({ task: 'Inner.' }),
        [ACCEPTED]: reply('Under way.'),
        'Inner.': reply('Done.'),
        [EVENT]: reply('Done.'),
      }),
    );
    const ofChildren = () => scratch.model.requests.filter(({ body }) => body.includes('[Subagent Task]'));
    await scratch.channel.asks({ group: 'team' }, 'Go', 'Under way.');
    await scratch.channel.expectDelivered('Done.');
    const shared = ofChildren();
    expect(shared.length).toBeGreaterThanOrEqual(4);
    for (const request of shared) expect(allSystem(request)).not.toContain('A private memory.');

    await scratch.channel.asks({}, 'Go', 'Under way.');
    await scratch.channel.expectDelivered('Done.');
    for (const request of ofChildren().slice(shared.length)) expect(allSystem(request)).toContain('A private memory.');
  });
});
