import { describe, expect, it } from 'vitest';
import { readRequestSpans } from '../gateway/services/read-request-spans.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { fail, hang, reply } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';

const NOTE = { owner: 'weather', text: 'It rains.' };

describe('text that a plugin queues', () => {
  it('is shown in exactly one completed run, before or behind the message', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('One.'), reply('Two.')]);
    const sessionKey = await keyOf(scratch);
    await scratch.services.injections.queue({ ...NOTE, sessionKey });
    await scratch.services.injections.queue({ ...NOTE, text: 'It will stop.', placement: 'append', sessionKey });
    await scratch.channel.asks({}, 'Hello', 'One.');
    expect(userTextOf(scratch, 0)).toBe('It rains.\n\nHello\n\nIt will stop.');
    expect(await scratch.store.select('injections')).toMatchObject([{ status: 'consumed' }, { status: 'consumed' }]);
    await scratch.channel.asks({}, 'And now?', 'Two.');
    expect(userTextOf(scratch, 1)).toBe('And now?');
    expect(scratch.store.commits.injection).toBe(2);
  });

  it('is bound while the run goes on, survives a stop, and is not shown in another session', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([hang()]);
    await scratch.services.injections.queue({ ...NOTE, sessionKey: await keyOf(scratch) });
    const { runId } = await scratch.channel.says({}, 'Hello');
    await scratch.model.waitForRequests(1);
    expect(await scratch.store.select('injections')).toMatchObject([{ status: 'bound', runId }]);
    await scratch.channel.says({ sender: 'somebody else' }, 'Hi');
    await scratch.model.waitForRequests(2);
    expect(userTextOf(scratch, 1)).toBe('Hi');
    await scratch.stop(0);
    scratch.model.script([reply('One.'), reply('One.')]);
    await scratch.start();
    await scratch.services.runs.wait(runId);
    expect(await scratch.store.select('injections')).toMatchObject([{ status: 'consumed', runId }]);
  });

  it('is released by a run that fails, and shown by the next', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([fail(400), reply('Two.')]);
    await scratch.services.injections.queue({ ...NOTE, sessionKey: await keyOf(scratch) });
    await scratch.channel.asks({}, 'Hello', /could not be answered/);
    expect(await scratch.store.select('injections')).toMatchObject([{ status: 'queued', runId: null }]);
    await scratch.channel.asks({}, 'Once more', 'Two.');
    expect(userTextOf(scratch, 1)).toBe('It rains.\n\nOnce more');
    expect(saidIn(scratch, 1)).toEqual(['Hello', 'It rains.\n\nOnce more']);
  });

  it('stays in the failed message, and nowhere else, when a handler has rewritten that message as a whole', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'before_message_write', 'shout', ({ message }) =>
          message.role === 'user'
            ? { message: { ...message, content: (message.content[0]?.text ?? '').toUpperCase() } }
            : undefined,
        ),
    });
    scratch.model.script([fail(400), reply('Two.')]);
    await scratch.services.injections.queue({ ...NOTE, sessionKey: await keyOf(scratch) });
    await scratch.channel.asks({}, 'Hello', /could not be answered/);
    expect(await scratch.store.select('injections')).toMatchObject([{ status: 'consumed' }]);
    await scratch.channel.asks({}, 'Once more', 'Two.');
    expect(saidIn(scratch, 1)).toEqual(['IT RAINS.\n\nHELLO', 'ONCE MORE']);
  });

  it('is shown with the words of its author when the request of the failed run is looked at later', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([fail(400)]);
    await scratch.services.injections.queue({ ...NOTE, sessionKey: await keyOf(scratch) });
    const { runId } = await scratch.channel.asks({}, 'Hello', /could not be answered/);
    const spans = (await readRequestSpans(scratch.store, runId))?.spans ?? [];
    expect(spans.filter(({ where }) => where === 'messages').map(({ origin, text }) => [origin, text])).toEqual([
      ['injection of weather', 'It rains.'],
      ['atrium: separator', '\n\n'],
      ['message', 'Hello'],
    ]);
  });

  it('is not shown when its time is over', async () => {
    let now = Date.parse('2026-01-05T10:00:00Z');
    const scratch = await gatewayForTest({ now: () => now });
    scratch.model.script([reply('One.')]);
    await scratch.services.injections.queue({ ...NOTE, ttlMs: 60_000, sessionKey: await keyOf(scratch) });
    now += 61_000;
    await scratch.channel.asks({}, 'Hello', 'One.');
    expect(userTextOf(scratch, 0)).toBe('Hello');
  });

  it('counts once under one key, also after it was shown', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('One.')]);
    const wanted = { ...NOTE, sessionKey: await keyOf(scratch), idempotencyKey: 'today' };
    const both = await Promise.all([
      scratch.services.injections.queue(wanted),
      scratch.services.injections.queue(wanted),
    ]);
    expect(both.map(({ enqueued }) => enqueued).sort()).toEqual([false, true]);
    await scratch.channel.asks({}, 'Hello', 'One.');
    expect(userTextOf(scratch, 0)).toBe('It rains.\n\nHello');
    expect(await scratch.services.injections.queue(wanted)).toMatchObject({ enqueued: false });
    expect(await scratch.services.injections.queue({ ...wanted, owner: 'somebody else' })).toMatchObject({
      enqueued: true,
    });
  });

  it('counts anew under one key when its time was over before it was shown', async () => {
    let now = Date.parse('2026-01-05T10:00:00Z');
    const { services, store } = await gatewayForTest({ now: () => now });
    const wanted = { ...NOTE, sessionKey: 'agent:main:main', idempotencyKey: 'today', ttlMs: 1_000 };
    expect(await services.injections.queue(wanted)).toMatchObject({ enqueued: true });
    expect(await services.injections.queue(wanted)).toMatchObject({ enqueued: false });
    now += 1_000;
    expect(await services.injections.queue({ ...wanted, text: 'It has stopped.' })).toMatchObject({ enqueued: true });
    expect(await store.select('injections')).toMatchObject([{ text: 'It has stopped.' }]);
  });

  it.each([
    '/new',
    '/reset',
  ])('is forgotten when a person says %s, with what plugins kept for the session', async (command) => {
    // Each look at the clock is a millisecond later, because what was queued in the millisecond of the reset is kept.
    let now = Date.parse('2026-01-05T10:00:00Z');
    const scratch = await gatewayForTest({
      now: () => now++,
      register: (hooks) =>
        on(hooks, 'before_reset', 'reminder', async (_, { sessionKey = '' }) => {
          await scratch.services.injections.queue({ owner: 'reminder', sessionKey, text: 'This one is new here.' });
        }),
    });
    scratch.model.script([reply('One.'), reply('Two.')]);
    const { sessionKey } = await scratch.channel.asks({}, 'Hello', 'One.');
    await scratch.services.injections.queue({ ...NOTE, sessionKey });
    const row = { sessionKey, pluginId: 'weather', namespace: 'sky', value: 'grey', updatedAt: 1 };
    await scratch.store.commit([{ insert: 'pluginState', row }], { site: 'plugin-state' });
    const preview = await scratch.services.context.preview({
      sessionKey,
      message: `${command} Good morning`,
      runHooks: true,
    });
    expect(preview.wire.body).not.toContain('It rains.');
    await scratch.channel.asks({}, `${command} Good morning`, 'Two.');
    expect(userTextOf(scratch, 1)).toBe('This one is new here.\n\nGood morning');
    expect(await scratch.store.select('injections')).toMatchObject([{ owner: 'reminder', status: 'consumed' }]);
    expect(await scratch.store.count('pluginState')).toBe(0);
  });

  it('waits through the night, and is shown in the session of the morning', async () => {
    let now = Date.parse('2026-01-05T10:00:00Z');
    const config = { agents: { defaults: { model: 'fake/small' } }, session: { reset: { mode: 'daily', atHour: 4 } } };
    const scratch = await gatewayForTest({ now: () => now, config });
    scratch.model.script([reply('One.'), reply('Two.')]);
    const { sessionKey } = await scratch.channel.asks({}, 'Hello', 'One.');
    await scratch.services.injections.queue({ ...NOTE, sessionKey });
    now += 24 * 3_600_000;
    await scratch.channel.asks({}, 'Good morning', 'Two.');
    expect(userTextOf(scratch, 1)).toBe('It rains.\n\nGood morning');
    expect(await scratch.store.count('sessions')).toBe(2);
  });

  it('is forgotten when an operator resets or deletes the session', async () => {
    let now = Date.parse('2026-01-05T10:00:00Z');
    const scratch = await gatewayForTest({ now: () => now++ });
    scratch.model.script(() => reply('One.'));
    const { sessionKey } = await scratch.channel.asks({}, 'Hello', 'One.');
    await scratch.services.injections.queue({ ...NOTE, sessionKey });
    expect(await scratch.services.sessions.reset(sessionKey)).toBe(true);
    expect(await scratch.store.count('injections')).toBe(0);
    await scratch.services.injections.queue({ ...NOTE, sessionKey });
    const row = { sessionKey, pluginId: 'weather', namespace: 'sky', value: 'grey', updatedAt: 1 };
    await scratch.store.commit([{ insert: 'pluginState', row }], { site: 'plugin-state' });
    expect(await scratch.services.sessions.delete(sessionKey)).toBe(true);
    expect(await scratch.store.count('injections')).toBe(0);
    expect(await scratch.store.count('pluginState')).toBe(0);
  });

  it('is told to agent_turn_prepare before it is shown', async () => {
    const seen: unknown[] = [];
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'agent_turn_prepare', 'see', ({ queuedInjections }) => void seen.push(...queuedInjections)),
    });
    scratch.model.script([reply('One.')]);
    await scratch.services.injections.queue({
      ...NOTE,
      idempotencyKey: 'k',
      ttlMs: 60_000,
      sessionKey: await keyOf(scratch),
    });
    await scratch.channel.asks({}, 'Hello', 'One.');
    expect(seen).toEqual([
      {
        id: expect.stringMatching(/^inj_/),
        pluginId: 'weather',
        text: 'It rains.',
        placement: 'prepend_context',
        idempotencyKey: 'k',
        createdAt: expect.any(Number),
        expiresAt: expect.any(Number),
      },
    ]);
  });

  it('is refused when it is empty, too long, or one of too many', async () => {
    const { services } = await gatewayForTest();
    const sessionKey = 'agent:main:main';
    const queue = (text: string) => services.injections.queue({ ...NOTE, sessionKey, text });
    await expect(queue(' ')).rejects.toMatchObject({ code: 'ATRIUM_INJECTION_REFUSED' });
    await expect(queue('x'.repeat(32_001))).rejects.toThrow(/32001 characters/);
    const late = services.injections.queue({ ...NOTE, sessionKey, ttlMs: 0 });
    await expect(late).rejects.toThrow(/its time would be over already/);
    for (let count = 0; count < 100; count++) await queue(`note ${count}`);
    await expect(queue('one more')).rejects.toThrow(/100 of its texts/);
  });
});

async function keyOf(scratch: Awaited<ReturnType<typeof gatewayForTest>>): Promise<string> {
  const { sessionKey } = await scratch.services.route({
    surface: scratch.channel.surface({}),
    sender: { id: 'owner' },
    text: '',
    at: 0,
  });
  return sessionKey;
}

function saidIn(scratch: Awaited<ReturnType<typeof gatewayForTest>>, request: number): readonly unknown[] {
  const messages = scratch.model.requests[request]?.json.messages as { role: string; content: unknown }[];
  return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
}

function userTextOf(scratch: Awaited<ReturnType<typeof gatewayForTest>>, request: number): unknown {
  return (scratch.model.requests[request]?.json.messages as { content: unknown }[]).at(-1)?.content;
}
