// Sessions in the way that clients ask for them, in a whole gateway.

import { describe, expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';

describe('a session', () => {
  it('that an operator ends is over, and the next message begins another', async () => {
    const seen: object[] = [];
    const scratch = await gatewayForTest({
      register: (hooks) => {
        on(hooks, 'before_reset', 's', (event) => void seen.push(event));
        on(hooks, 'session_end', 's', (event) => void seen.push(event));
      },
    });
    scratch.model.script([reply('Hello Ann.'), reply('Who are you?')]);
    const { sessionKey } = await scratch.channel.asks({}, 'I am Ann', 'Hello Ann.');
    expect(await scratch.services.sessions.reset(sessionKey)).toBe(true);
    expect(await scratch.services.sessions.reset(sessionKey)).toBe(false);
    expect(seen).toMatchObject([
      { reason: 'reset', messages: [{}, {}] },
      { reason: 'reset', sessionKey, messageCount: 2 },
    ]);
    await scratch.channel.asks({}, 'Hello', 'Who are you?');
    expect(scratch.model.requests[1]?.body).not.toContain('Ann');
  });

  it('that two operators end at once is ended by one of them', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('Hello.')]);
    const { sessionKey } = await scratch.channel.asks({}, 'Hi', 'Hello.');
    const ended = await Promise.all([1, 2, 3].map(() => scratch.services.sessions.reset(sessionKey)));
    expect(ended.sort()).toEqual([false, false, true]);
  });

  it('that is deleted takes everything with it that was said', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(() => reply('I keep it.'));
    const { sessionKey } = await scratch.channel.asks({ sender: 'ann' }, 'xyzzy-secret', 'I keep it.');
    const { runId: other } = await scratch.channel.asks({ sender: 'bob' }, 'Hello', 'I keep it.');
    await scratch.stop();
    await scratch.start();
    expect(await scratch.services.sessions.delete(sessionKey)).toBe(true);
    expect(await scratch.services.sessions.delete('agent:main:unknown')).toBe(false);
    for (const table of ['inbox', 'transcript', 'captures', 'parts', 'outbox', 'runs', 'sessions'] as const) {
      expect(JSON.stringify(await scratch.store.select(table)), table).not.toContain('xyzzy');
    }
    expect(await scratch.store.count('captures', { runId: other })).toBe(2);
    expect(await scratch.services.store.count('transcript')).toBe(2);
  });

  it('that is being deleted lets a message wait, and the message begins the next one', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'session_end', 's', async ({ reason }) => {
          if (reason !== 'deleted' || hasSpoken) return;
          hasSpoken = true;
          await scratch.channel.says({}, 'One more thing');
          whileDeleted = await scratch.store.count('runs', { status: 'running' });
        }),
    });
    let hasSpoken = false;
    let whileDeleted = -1;
    scratch.model.script([reply('Hello.'), reply('Yes?')]);
    const { sessionKey } = await scratch.channel.asks({}, 'Hi', 'Hello.');
    expect(await scratch.services.sessions.delete(sessionKey)).toBe(true);
    expect(whileDeleted).toBe(0);
    await scratch.channel.expectDelivered('Yes?');
    const sessions = await scratch.store.select('sessions', { orderBy: [['startedAt', 'asc']] });
    expect(sessions).toMatchObject([{ endReason: 'deleted' }, { endedAt: null }]);
    const said = await scratch.store.select('transcript');
    expect(said.map(({ sessionId }) => sessionId)).toEqual([sessions[1]?.sessionId, sessions[1]?.sessionId]);
  });
});

describe('sessions', () => {
  it('are found by id or by key, the open one before those that have ended', async () => {
    const { scratch, sessions, keys } = await withThree();
    const [first, second] = await scratch.store.select('sessions', {
      where: { sessionKey: keys.ann },
      orderBy: [['sessionId', 'asc']],
    });
    expect(await sessions.find(keys.ann)).toEqual(second);
    expect(await sessions.find(first?.sessionId ?? '')).toEqual(first);
    await sessions.reset(keys.ann);
    expect(await sessions.find(keys.ann)).toMatchObject({ sessionId: second?.sessionId, endReason: 'reset' });
    await expect(sessions.find('agent:main:nowhere')).rejects.toMatchObject({ code: 'ATRIUM_SESSION_UNKNOWN' });
    expect(await sessions.describe(keys.ann)).toMatchObject({
      session: { sessionId: second?.sessionId, pluginExtensions: [] },
      entries: 2,
      earlier: [{ sessionId: first?.sessionId }],
    });
  });

  it('are listed in pages, the latest first, and those of one kind', async () => {
    const { sessions, keys } = await withThree();
    const page = await sessions.list({ limit: 2 });
    expect(page.sessions.map(({ sessionKey }) => sessionKey)).toEqual([keys.ann, keys.bob]);
    const rest = await sessions.list({ limit: 2, before: page.next ?? '' });
    expect(rest).toMatchObject({ sessions: [{ sessionKey: keys.ann, endReason: 'new' }], next: null });
    const open = await sessions.list({ limit: 9, isOpen: true, agentId: 'main' });
    expect(open.sessions.map(({ endedAt }) => endedAt)).toEqual([null, null]);
    expect((await sessions.list({ limit: 9, isOpen: false })).sessions).toHaveLength(1);
    expect((await sessions.list({ limit: 9, agentId: 'other' })).sessions).toEqual([]);
  });
});

/** One session of Ann that has ended, one of Bob, and another one of Ann. */
async function withThree() {
  let now = Date.parse('2026-05-06T10:00:00Z');
  const scratch = await gatewayForTest({ now: () => now++ });
  scratch.model.script(() => reply('Hello.'));
  const says = async (sender: string, text: string) => {
    const { sessionKey } = await scratch.channel.says({ sender }, text);
    await scratch.channel.expectDelivered('Hello.', { sender });
    return sessionKey;
  };
  const ann = await says('ann', 'Hi');
  const bob = await says('bob', 'Hi');
  await says('ann', '/new Hi again');
  return { scratch, sessions: scratch.services.sessions, keys: { ann, bob } };
}
