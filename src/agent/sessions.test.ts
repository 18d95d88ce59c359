import { describe, expect, it } from 'vitest';
import type { HookRunner } from '../hooks/runner.ts';
import type { JsonObject } from '../protocol/json.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCalls } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import { TestChannel } from '../testkit/test-channel.ts';

describe('sessions', () => {
  it('are one per place: two surfaces share nothing', async () => {
    const chat = new TestChannel({ id: 'chat', accounts: ['home', 'work'] });
    const scratch = await gatewayForTest({ channels: [chat] });
    scratch.model.script(() => reply('Noted.'));
    const places = [
      [scratch.channel, { sender: 'ann' }],
      [scratch.channel, { sender: 'bob' }],
      [chat, { account: 'home', sender: 'ann' }],
      [chat, { account: 'home', group: 'team', sender: 'ann' }],
      [chat, { account: 'home', channel: 'news', sender: 'ann' }],
      [chat, { account: 'home', channel: 'news', thread: 't1', sender: 'ann' }],
      [chat, { account: 'home', channel: 'news', thread: 't2', sender: 'ann' }],
    ] as const;
    const keys: string[] = [];
    for (const [index, [channel, place]] of places.entries()) {
      const { sessionKey } = await channel.says(place, `secret-${index}`);
      await channel.expectDelivered('Noted.', place);
      keys.push(sessionKey);
    }
    expect(new Set(keys).size).toBe(places.length);
    for (const [index, { body }] of scratch.model.requests.entries()) {
      expect(body.match(/secret-\d/g)).toEqual([`secret-${index}`]);
    }
    expect(await scratch.store.count('sessions')).toBe(places.length);
  });

  it.each([
    ['self', undefined, 1],
    ['agent', { tools: { sessions: { visibility: 'agent' } } }, 2],
  ])('are shown to %s through the session tools', async (_, config, count) => {
    const scratch = await gatewayForTest({ config: { agents: { defaults: { model: 'fake/small' } }, ...config } });
    scratch.model.script([
      reply('Noted.'),
      toolCalls([{ name: 'sessions_list' }, { name: 'sessions_history', params: { sessionKey: 'KEY' } }]),
      reply('That is all.'),
    ]);
    const { sessionKey } = await scratch.channel.asks({ sender: 'ann' }, 'My secret is blue', 'Noted.');
    scratch.model.script([
      toolCalls([{ name: 'sessions_list' }, { name: 'sessions_history', params: { sessionKey } }]),
      reply('That is all.'),
    ]);
    await scratch.channel.asks({ sender: 'bob' }, 'What do others say?', 'That is all.');
    const body = scratch.model.requests.at(-1)?.body ?? '';
    expect(body.includes('My secret is blue')).toBe(count === 2);
    const [listed] = resultsOf(scratch);
    expect(listed?.includes('test:direct:ann')).toBe(count === 2);
  });
});

describe('/new and /reset', () => {
  it.each([
    'new',
    'reset',
  ] as const)('/%s ends the session, and what stands behind it is the first message of the next', async (name) => {
    const seen: string[] = [];
    const scratch = await gatewayForTest({ register: (hooks) => watchSessions(hooks, seen) });
    scratch.model.script([reply('Hello Ann.'), reply('I do not know.')]);
    const { sessionKey } = await scratch.channel.asks({}, 'I am Ann', 'Hello Ann.');
    await scratch.channel.asks({}, `/${name} Who am I?`, 'I do not know.');
    expect(scratch.model.requests[1]?.json.messages).toMatchObject([
      { role: 'system' },
      { role: 'user', content: 'Who am I?' },
    ]);
    const [old, next] = await scratch.store.select('sessions', {
      where: { sessionKey },
      orderBy: [
        ['startedAt', 'asc'],
        ['endedAt', 'desc'],
      ],
    });
    expect(old).toMatchObject({ endReason: name });
    expect(next).toMatchObject({ endReason: null, resumedFrom: old?.sessionId });
    await scratch.hooks.drain(1_000);
    expect(seen).toEqual([
      'session_start',
      `before_reset ${name} with 2 messages`,
      `session_end ${name} with 2 messages, then ${next?.sessionId}`,
      'session_start',
    ]);
  });

  it('alone ends the session, and no model is asked', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('Hello Ann.'), reply('I do not know.')]);
    await scratch.channel.asks({}, 'I am Ann', 'Hello Ann.');
    await scratch.channel.asks({}, '/new', 'A new session has begun.');
    await scratch.channel.asks({}, 'Who am I?', 'I do not know.');
    expect(scratch.model.requests).toHaveLength(2);
    expect(scratch.model.requests[1]?.json.messages).toMatchObject([
      { role: 'system' },
      { role: 'user', content: 'Who am I?' },
    ]);
  });
});

describe('a session whose time is over', () => {
  it.each([
    ['idle', { reset: { mode: 'idle', idleMinutes: 30 } }, 31 * 60_000],
    ['daily', { reset: { mode: 'daily', atHour: 4 } }, 20 * 3_600_000],
    ['idle', { idleMinutes: 30 }, 31 * 60_000],
    ['idle', { resetByType: { direct: { idleMinutes: 30 } } }, 31 * 60_000],
    ['daily', { idleMinutes: 30, resetByChannel: { test: { atHour: 4 } } }, 20 * 3_600_000],
  ] as const)('ends as %s, and the message that came late is the first of the next', async (reason, session, passed) => {
    let now = Date.parse('2026-01-05T10:00:00Z');
    const seen: string[] = [];
    const scratch = await gatewayForTest({
      now: () => now,
      config: { agents: { defaults: { model: 'fake/small' } }, session },
      register: (hooks) => watchSessions(hooks, seen),
    });
    scratch.model.script([reply('Hello Ann.'), reply('Still here.'), reply('Good morning, stranger.')]);
    await scratch.channel.asks({}, 'I am Ann', 'Hello Ann.');
    now += 60_000;
    await scratch.channel.asks({}, 'Are you there?', 'Still here.');
    now += passed;
    await scratch.channel.asks({}, 'Good morning', 'Good morning, stranger.');
    expect(scratch.model.requests[2]?.json.messages).toMatchObject([
      { role: 'system' },
      { role: 'user', content: 'Good morning' },
    ]);
    await scratch.hooks.drain(1_000);
    expect(seen).toEqual([
      'session_start',
      expect.stringContaining(`session_end ${reason} with 4 messages`),
      'session_start',
    ]);
  });
});

function watchSessions(hooks: HookRunner, seen: string[]): void {
  on(hooks, 'session_start', 's', () => void seen.push('session_start'));
  on(
    hooks,
    'before_reset',
    's',
    ({ reason, messages }) => void seen.push(`before_reset ${reason} with ${messages?.length} messages`),
  );
  on(
    hooks,
    'session_end',
    's',
    ({ reason, messageCount, nextSessionId }) =>
      void seen.push(`session_end ${reason} with ${messageCount} messages, then ${nextSessionId}`),
  );
}

function resultsOf(scratch: Awaited<ReturnType<typeof gatewayForTest>>): readonly string[] {
  const messages = (scratch.model.requests.at(-1)?.json.messages ?? []) as readonly JsonObject[];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}
