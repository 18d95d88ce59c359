// How people, programs and the model itself see subagents and stop them, in a whole gateway.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { saying, toldLast, toolResults } from '../../agent/subagents/fixtures/children-talk.ts';
import { hang, type ModelReply, reply, toolCall, toolCalls } from '../../testkit/model-server.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { TestApi } from '../http/fixtures/test-api.ts';

const KEY = 'agent:main:test:direct:owner';
const EVENT = '[Internal task completion event]';

describe('the subagents of a session', () => {
  it('are told to the model that spawned them, which can stop them, and to no other session', async () => {
    const { scratch } = await open({
      'How are they': toolCall('subagents', {}),
      '{"count":3': reply('Two work.'),
      'What did it say': toolCall('subagents', { action: 'show', target: 'quick' }),
      'What a subagent answered': reply('It said that.'),
      'Stop it': toolCall('subagents', { action: 'kill', target: 'outer' }),
      'They were stopped.': reply('Stopped.'),
      'Look there': toolCall('subagents', { action: 'show', target: 'outer' }),
      '{"count":0': reply('Nothing here.'),
      'The session "agent:main:test:direct:bob" has no subagent': reply('No such thing.'),
    });
    await scratch.channel.asks({}, 'How are they', 'Two work.');
    const [list = ''] = toolResults(scratch).filter((text) => text.startsWith('{"count":3'));
    const { subagents } = JSON.parse(list);
    expect(subagents).toMatchObject([
      { taskName: 'outer', state: 'waiting', tokensIn: 110, cost: 0.22, costWithSubagents: 0.22 },
      { label: 'Inner', state: 'running', spawnedBy: subagents[0].sessionKey },
      { taskName: 'quick', state: 'ok', tokensIn: 100, tokensOut: 50, cost: 0.2, task: 'Quick.' },
    ]);
    await scratch.channel.asks({}, 'What did it say', 'It said that.');
    expect(toolResults(scratch).join()).toContain('"task":"Quick.","result":"| That."');
    await scratch.channel.asks({ sender: 'bob' }, 'How are they', 'Nothing here.');
    await scratch.channel.asks({ sender: 'bob' }, 'Look there', 'No such thing.');
    await scratch.channel.says({}, 'Stop it');
    await scratch.channel.expectDelivered('Stopped.');
    await scratch.channel.expectDelivered('It is over.');
    const outcomes = (await scratch.store.select('children')).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(['killed', 'killed', 'ok']);
  });

  it('are told in a chat, which can stop them by name', async () => {
    const { scratch } = await open({});
    const says = async (text: string, answer: RegExp | string) => {
      await scratch.channel.says({}, text);
      await scratch.channel.expectDelivered(answer);
    };
    await says(
      '/subagents',
      /^Subagents\n- outer \[\w{8}\]: waits, \d+ s, 110 tokens in, 55 out, cost 0\.2200\n {2}- Inner \[\w{8}\]: works.*\n- quick \[\w{8}\]: done/,
    );
    await says('/subagents show quick', /^quick: done[\s\S]*\nTask: Quick\.\nResult: That\.$/);
    await says('/subagents show nobody', /has no subagent "nobody". It has quick, outer\.$/);
    await says('/subagents dance', /^Use \/subagents/);
    await says('/subagents kill quick', 'Nothing was stopped: it is over already.');
    await scratch.channel.says({}, '/subagents kill Inner');
    await scratch.channel.expectDelivered('Stopped: Inner.');
    await scratch.channel.expectDelivered('It is over.');
    await scratch.channel.says({ sender: 'bob' }, '/subagents');
    await scratch.channel.expectDelivered('This session has no subagents.');
  });

  it('are told by the API, which can stop them', async () => {
    const { scratch, call } = await open({});
    const { json } = await call('GET', `/api/subagents?session=${encodeURIComponent(KEY)}`);
    expect(json).toMatchObject({
      subagents: [
        { taskName: 'outer', state: 'waiting', children: [{ label: 'Inner', state: 'running', depth: 2 }] },
        { taskName: 'quick', state: 'ok', result: 'That.' },
      ],
      waits: [],
    });
    expect((await call('GET', '/api/subagents?active=true')).json).toMatchObject({
      subagents: [{ taskName: 'outer' }],
    });
    expect((await call('POST', '/api/subagents/outer/kill', {})).json).toMatchObject({ killed: true });
    expect((await call('POST', '/api/subagents/outer/kill', {})).json).toMatchObject({ killed: false });
    expect((await call('GET', '/api/subagents/outer')).json).toMatchObject({
      subagent: { state: 'killed', children: [{ state: 'killed' }] },
    });
    expect((await call('GET', '/api/subagents/nobody')).status).toBe(404);
    await scratch.channel.expectDelivered('It is over.');
  });
});

/** A session with a subagent that waits for its own one, which works, and one that is done and was told. */
async function open(
  script: Readonly<Record<string, ModelReply>>,
): Promise<{ readonly scratch: ScratchGateway; readonly call: TestApi['call'] }> {
  const api = await TestApi.open({
    provider: { models: [{ id: 'small', cost: { input: 1_000, output: 2_000 } }] },
    config: { agents: { defaults: { model: 'fake/small', subagents: { maxSpawnDepth: 2 } } } },
  });
  onTestFinished(() => api.close());
  const { scratch } = api;
  const usage = { usage: { input: 100, output: 50 } };
  scratch.model.script(
    saying({
      Go: toolCalls([
        { name: 'sessions_spawn', params: { task: 'Outer.', taskName: 'outer' } },
        { name: 'sessions_spawn', params: { task: 'Quick.', taskName: 'quick', expectsCompletionMessage: false } },
      ]),
      '{"status":"accepted"': reply('Under way.', usage),
      'Outer.': toolCall('sessions_spawn', { task: 'Inner.', label: 'Inner' }),
      'Inner.': hang('So far'),
      'Quick.': reply('That.', usage),
      [EVENT]: reply('It is over.', usage),
      ...script,
    }),
  );
  await scratch.channel.asks({}, 'Go', 'Under way.');
  await vi.waitFor(
    async () => {
      expect(scratch.model.requests.map(toldLast)).toContain('Inner.');
      const children = await scratch.store.select('children');
      expect(children.find(({ taskName }) => taskName === 'quick')?.endedAt).not.toBeNull();
      expect(await scratch.store.count('runs', { status: 'running' })).toBe(1);
    },
    { timeout: 30_000 },
  );
  return { scratch, call: (...asked) => api.call(...asked) };
}
