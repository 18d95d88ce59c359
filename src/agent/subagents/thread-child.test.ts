// A child with a thread of its own: people talk to it there, it answers there, and nothing is said twice.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../../testkit/model-server.ts';
import { saying, settled, tellings, toolResults } from './fixtures/children-talk.ts';

const spawn = (params: JsonObject) => toolCall('sessions_spawn', params);
const ACCEPTED = '{"status":"accepted"';
const EVENT = '[Internal task completion event]';
const GROUP = { group: 'team' };

describe('a child with a thread', () => {
  it('answers there itself, gets what people write there, and is not announced', async () => {
    const scratch = await gatewayForTest({ channel: { can: ['threads'] } });
    scratch.model.script(
      saying({
        'Open a thread': spawn({ task: 'Plan the party.', label: 'The party', thread: true }),
        [ACCEPTED]: reply('See the thread.'),
        'Plan the party.': reply('Here is a plan.'),
        'With cake': reply('Cake is in the plan.'),
      }),
    );
    await scratch.channel.says(GROUP, 'Open a thread');
    await scratch.channel.expectDelivered('See the thread.', GROUP);
    const [child] = await settled(scratch, 1);
    expect(child).toMatchObject({ mode: 'session', context: 'fork', owes: false, outcome: 'ok', isAnswered: true });
    const thread = { ...GROUP, thread: child?.boundTo?.threadId ?? '' };
    expect(scratch.channel.threadNames.get(thread.thread)).toBe('The party');
    await scratch.channel.expectDelivered('Here is a plan.', thread);
    const { sessionKey } = await scratch.channel.says(thread, 'With cake', {});
    expect(sessionKey).toBe(child?.childKey);
    await scratch.channel.expectDelivered('Cake is in the plan.', thread);
    expect(tellings(scratch)).toEqual([]);
    scratch.channel.expectNothingMore();
    const threadKey = `agent:main:test:group:team:thread:${thread.thread}`;
    const preview = await scratch.services.context.preview({ sessionKey: threadKey, message: 'And tea' });
    expect(preview.sessionKey).toBe(child?.childKey);
    expect(preview.wire.body).toContain('Cake is in the plan.');

    // When its session is gone, the thread has a session of its own like any other.
    await scratch.services.sessions.delete(child?.childKey ?? '');
    scratch.model.script([reply('Hello.')]);
    const after = await scratch.channel.says(thread, 'Hi');
    expect(after.sessionKey).toBe(threadKey);
    const again = await scratch.services.context.preview({ sessionKey: threadKey, message: 'And tea' });
    expect(again.sessionKey).toBe(threadKey);
  });

  it('of another agent starts with its task alone', async () => {
    const subagents = { allowAgents: ['scout'] };
    const list = [{ id: 'main', default: true, subagents }, { id: 'scout' }];
    const config = { agents: { defaults: { model: 'fake/small' }, list } };
    const scratch = await gatewayForTest({ channel: { can: ['threads'] }, config });
    scratch.model.script(
      saying({
        'Open a thread': spawn({ task: 'Plan the party.', agentId: 'scout', thread: true }),
        [ACCEPTED]: reply('See the thread.'),
        'Plan the party.': reply('Here is a plan.'),
      }),
    );
    await scratch.channel.says(GROUP, 'Open a thread');
    await scratch.channel.expectDelivered('See the thread.', GROUP);
    expect(await settled(scratch, 1)).toMatchObject([{ agentId: 'scout', context: 'isolated' }]);
    const request = scratch.model.requests.find(({ body }) => body.includes('[Subagent Task]'));
    expect(request?.body).not.toContain('Open a thread');
  });

  it.each([
    ['in a run, and its parent speaks for it in the thread', { mode: 'run' }, ['Told for the child.']],
    [
      'and is announced too when the call asks for it',
      { expectsCompletionMessage: true },
      ['A plan.', 'Told for the child.'],
    ],
  ])('works %s', async (_, params, shown) => {
    const scratch = await gatewayForTest({ channel: { can: ['threads'] } });
    scratch.model.script(
      saying({
        'Open a thread': spawn({ task: 'Plan.', thread: true, ...params }),
        [ACCEPTED]: reply('See the thread.'),
        'Plan.': reply('A plan.'),
        [EVENT]: reply('Told for the child.'),
      }),
    );
    await scratch.channel.says(GROUP, 'Open a thread');
    await scratch.channel.expectDelivered('See the thread.', GROUP);
    const [child] = await settled(scratch, 1);
    const thread = { ...GROUP, thread: child?.boundTo?.threadId ?? '' };
    for (const text of shown) await scratch.channel.expectDelivered(text, thread);
    scratch.channel.expectNothingMore();
  });

  it('is refused where there are no threads, and by a plugin', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        hooks.register({
          hook: 'subagent_spawning',
          id: 'strict',
          owner: 'strict',
          handler: ({ label }: { label?: string }) =>
            label === 'forbidden' ? { status: 'error', error: 'Not this one.' } : undefined,
        } as never),
    });
    scratch.model.script(
      saying({
        'Open a thread': spawn({ task: 'Plan.', thread: true }),
        'Do the forbidden': spawn({ task: 'Plan.', label: 'forbidden' }),
        '{"status":"error"': reply('Not possible.'),
      }),
    );
    await scratch.channel.asks(GROUP, 'Open a thread', 'Not possible.');
    expect(toolResults(scratch).join()).toContain('has no threads');
    await scratch.channel.asks(GROUP, 'Do the forbidden', 'Not possible.');
    expect(toolResults(scratch).join()).toContain('Not this one.');
    expect(await scratch.store.count('children')).toBe(0);
  });

  it('has the place that a plugin prepared for it', async () => {
    const origin = { channel: 'test', to: 'group:elsewhere', threadId: 't9' };
    const scratch = await gatewayForTest({
      register: (hooks) =>
        hooks.register({
          hook: 'subagent_spawning',
          id: 'host',
          owner: 'host',
          handler: () => ({ status: 'ok', threadBindingReady: true, deliveryOrigin: origin }),
        } as never),
    });
    scratch.model.script(
      saying({
        'Open a thread': spawn({ task: 'Plan.', thread: true, context: 'isolated' }),
        [ACCEPTED]: reply('See there.'),
        'Plan.': reply('A plan.'),
      }),
    );
    await scratch.channel.asks(GROUP, 'Open a thread', 'See there.');
    await scratch.channel.expectDelivered('A plan.', { group: 'elsewhere', thread: 't9' });
  });
});
