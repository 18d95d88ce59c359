import { describe, expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { hang, reply } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { TestChannel } from '../../testkit/test-channel.ts';

describe('a message that comes twice', () => {
  it('is answered once, by its event', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('Once.')]);
    const first = await scratch.channel.says({}, 'Hello', { eventId: 'e1' });
    expect(first.outcome).toBe('accepted');
    expect(await scratch.channel.says({}, 'Hello', { eventId: 'e1' })).toEqual({ ...first, outcome: 'duplicate' });
    await scratch.channel.expectDelivered('Once.');
    expect(await scratch.channel.says({}, 'Hello', { eventId: 'e1' })).toEqual({ ...first, outcome: 'duplicate' });
    await scratch.stop();
    await scratch.start();
    expect(await scratch.channel.says({}, 'Hello', { eventId: 'e1' })).toEqual({ ...first, outcome: 'duplicate' });
    expect(scratch.model.requests).toHaveLength(1);
  });

  it('is answered once even when both come at the same time', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('Once.')]);
    const both = await Promise.all([1, 2].map(() => scratch.channel.says({}, 'Hello', { eventId: 'e1' })));
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(['accepted', 'duplicate']);
    expect(new Set(both.map(({ runId }) => runId)).size).toBe(1);
    const commands = await Promise.all([1, 2].map(() => scratch.channel.says({}, '/help', { eventId: 'e2' })));
    expect(commands.map(({ outcome }) => outcome).sort()).toEqual(['duplicate', 'handled']);
    await scratch.channel.expectDelivered(/\/status/);
    await scratch.channel.expectDelivered('Once.');
    scratch.channel.expectNothingMore();
  });

  it('is told apart by message and revision, per channel and account', async () => {
    const chat = new TestChannel({ id: 'chat', accounts: ['home', 'work'] });
    const scratch = await gatewayForTest({ channels: [chat] });
    scratch.model.script(() => reply('Yes.'));
    const outcomes: string[] = [];
    for (const [channel, account, details] of [
      [chat, 'home', { messageId: 'm1' }],
      [chat, 'home', { messageId: 'm1', revision: 0 }],
      [chat, 'home', { messageId: 'm1', revision: 1 }],
      [chat, 'work', { messageId: 'm1' }],
      [scratch.channel, 'default', { messageId: 'm1' }],
    ] as const) {
      outcomes.push((await channel.says({ account }, 'Hello', details)).outcome);
    }
    expect(outcomes).toEqual(['accepted', 'duplicate', 'accepted', 'accepted', 'accepted']);
  });
});

describe('a command', () => {
  it.each([
    ['/status', /running/i],
    ['/help', /\/stop/],
    ['/context', /./],
    ['/stop', /^Stopping\.$/],
  ])('%s is answered at once while a run goes on', async (command, answer) => {
    const scratch = await gatewayForTest();
    scratch.model.script([hang('Let me think')]);
    await scratch.channel.says({}, 'Think');
    await scratch.model.waitForRequests(1);
    expect(await scratch.channel.says({}, command)).toMatchObject({ outcome: 'handled' });
    await scratch.channel.expectDelivered(answer);
    expect(scratch.store.commits.control).toBe(1);
  });

  it.each(['/context', '/context detail', '/status'])('%s accounts for the whole request', async (command) => {
    const scratch = await gatewayForTest();
    scratch.model.script(() => reply('Hello.'));
    await scratch.channel.asks({}, 'Hi', 'Hello.');
    await scratch.channel.says({}, command);
    await scratch.channel.expectDelivered(
      /^Whole request: [\d,]+ characters, about [\d,]+ tokens \(system [\d,]+, tools [\d,]+, message [\d,]+\); [\d.]+ % of the window of [\d,]+ tokens, [\d,]+ free; [\d,]+ until compaction$/m,
    );
  });

  it('/stop with nothing to stop says so', async () => {
    const scratch = await gatewayForTest();
    await scratch.channel.asks({}, '/stop', 'Nothing is running here.');
  });

  it('/stop ends the run of its own session only', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([hang()]);
    await scratch.channel.says({ sender: 'ann' }, 'Think');
    await scratch.model.waitForRequests(1);
    await scratch.channel.says({ sender: 'bob' }, '/stop');
    await scratch.channel.expectDelivered('Nothing is running here.', { sender: 'bob' });
    expect((await scratch.services.status()).running).toHaveLength(1);
  });
});

describe('a message that cannot be taken', () => {
  it('is refused when it is too long, and nothing of it is stored', async () => {
    const scratch = await gatewayForTest();
    await expect(scratch.channel.says({}, 'x'.repeat(1_000_001))).rejects.toMatchObject({
      code: 'ATRIUM_INBOUND_TOO_LONG',
    });
    expect(await scratch.store.count('inbox')).toBe(0);
  });

  it('is refused when it asks for an agent that does not exist', async () => {
    const scratch = await gatewayForTest();
    await expect(scratch.channel.says({}, 'Hello', { agentId: 'nobody' })).rejects.toThrow(/nobody/);
    expect(await scratch.store.count('inbox')).toBe(0);
  });
});

describe('inbound_claim', () => {
  it('takes a message before any agent sees it, with an answer or in silence', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'inbound_claim', 'desk', ({ content }) => {
          if (content === 'ping') return { handled: true, reply: { text: 'pong' } };
          return content === 'spam' ? { handled: true } : undefined;
        }),
    });
    scratch.model.script([reply('Hello.')]);
    expect(await scratch.channel.says({}, 'ping')).toMatchObject({ outcome: 'handled' });
    await scratch.channel.expectDelivered('pong');
    expect(await scratch.channel.says({}, 'spam')).toMatchObject({ outcome: 'handled' });
    await scratch.channel.asks({}, 'Hi', 'Hello.');
    scratch.channel.expectNothingMore();
    expect(scratch.model.requests).toHaveLength(1);
  });
});
