import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { createPluginHost, type PluginHostParts } from './create-plugin-host.ts';

/** The host of the plugin "mailer", over a real gateway. */
function hostIn(scratch: ScratchGateway, changes: Partial<PluginHostParts> = {}) {
  const { hosting } = scratch.opened.plugins;
  return createPluginHost({ ...hosting, ...changes }, 'mailer');
}

const TEA: JsonObject = {
  name: 'tea',
  enabled: true,
  schedule: { kind: 'cron', expr: '0 16 * * *', tz: 'Europe/Lisbon' },
  sessionTarget: 'isolated',
  payload: { kind: 'agentTurn', message: 'Time for tea.' },
};

describe('the host of a plugin', () => {
  it('says something on a surface, past the same hooks as an answer', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) => on(hooks, 'message_sending', 'shout', ({ content }) => ({ content: content.toUpperCase() })),
    });
    const host = hostIn(scratch);
    await host.sendMessage({ channel: 'test', to: 'ana', text: 'hello ana' });
    await scratch.channel.expectDelivered('HELLO ANA', { sender: 'ana' });
    await host.sendMessage({ channel: 'test', to: 'group:tea', text: 'hello all' });
    await scratch.channel.expectDelivered('HELLO ALL', { group: 'tea' });
    await expect(host.sendMessage({ channel: 'pigeon', to: 'x', text: 'y' })).rejects.toThrow('no channel "pigeon"');
    await expect(host.sendMessage({ channel: 'test', to: 'x', text: ' ' })).rejects.toThrow('between 1 and');
  });

  it('does not let a plugin talk to itself without an end', async () => {
    const scratch = await gatewayForTest();
    const host = hostIn(scratch, { now: () => 1_000 });
    for (let count = 0; count < 120; count++) await host.sendMessage({ channel: 'test', to: 'ana', text: `${count}` });
    await expect(host.sendMessage({ channel: 'test', to: 'ana', text: 'more' })).rejects.toThrow(
      '120 times within a minute',
    );
    await expect(host.startRun({ message: 'more' })).rejects.toThrow('120 times within a minute');
  });

  it('starts a run that is answered like any other, once for each key', async () => {
    const scratch = await gatewayForTest();
    const host = hostIn(scratch);
    scratch.model.script([reply('Four.')]);
    const request = { message: 'What is 2 + 2?', idempotencyKey: 'sum-1' };
    const first = await host.startRun(request);
    expect(first.sessionKey).toBe('agent:main:plugin:mailer');
    expect(await host.waitForRun({ runId: first.runId, timeoutMs: 10_000 })).toEqual({ status: 'ok', reply: 'Four.' });
    expect((await host.startRun(request)).runId).toBe(first.runId);
    expect(scratch.model.requests).toHaveLength(1);
    scratch.channel.expectNothingMore();
  });

  it('reads and removes the sessions that it began, and no others', async () => {
    const scratch = await gatewayForTest();
    const host = hostIn(scratch, { mayReadConversations: () => false });
    scratch.model.script(() => reply('Noted.'));
    await scratch.channel.asks({ sender: 'ana' }, 'A secret', 'Noted.');
    const sessionKey = 'agent:main:subagent:mail-1';
    const { runId } = await host.startRun({ message: 'Sort the mail.', sessionKey });
    await host.waitForRun({ runId, timeoutMs: 10_000 });
    const { messages } = await host.readSessionMessages({ sessionKey });
    expect(messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }]);
    expect((await host.readSessionMessages({ sessionKey, limit: 1 })).messages).toHaveLength(1);
    const foreign = { sessionKey: 'agent:main:test:direct:ana' };
    await expect(host.readSessionMessages(foreign)).rejects.toThrow('allowConversationAccess');
    await expect(host.deleteSession(foreign)).rejects.toThrow('did not begin');
    await host.deleteSession({ sessionKey });
    expect((await host.readSessionMessages({ sessionKey: 'plugin:mailer' })).messages).toEqual([]);
    const [session] = await scratch.store.select('sessions', { where: { sessionKey } });
    expect(session?.endReason).toBe('deleted');
    scratch.channel.expectNothingMore({ sender: 'bob' });
  });

  it('answers in a session where people are, and types no commands there', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('Hi Ana.'), reply('I read that.')]);
    const { sessionKey } = await scratch.channel.asks({ sender: 'ana' }, 'hello', 'Hi Ana.');
    await hostIn(scratch).startRun({ message: '/reset', sessionKey });
    await scratch.channel.expectDelivered('I read that.', { sender: 'ana' });
  });

  it('does not wait for ever, and knows a run that failed', async () => {
    const scratch = await gatewayForTest();
    const host = hostIn(scratch);
    const { runId } = await host.startRun({ message: 'hello' });
    expect(await host.waitForRun({ runId, timeoutMs: 10_000 })).toMatchObject({ status: 'error' });
    scratch.model.script([{ ...reply('late'), ending: 'hang' }]);
    const slow = await host.startRun({ message: 'hello again' });
    expect(await host.waitForRun({ runId: slow.runId, timeoutMs: 20 })).toEqual({ status: 'timeout' });
    await expect(host.waitForRun({ runId: 'run_nope' })).rejects.toMatchObject({ code: 'ATRIUM_RUN_UNKNOWN' });
  });

  it('queues text for the next run, unless the operator does not want its words in prompts', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('one'), reply('two')]);
    const { sessionKey } = await scratch.channel.asks({}, 'hello', 'one');
    const host = hostIn(scratch);
    expect(await host.queueInjection({ sessionKey, text: 'Mail came.', idempotencyKey: 'm1' })).toMatchObject({
      enqueued: true,
    });
    expect(await host.queueInjection({ sessionKey, text: 'Mail came.', idempotencyKey: 'm1' })).toMatchObject({
      enqueued: false,
    });
    expect(await host.enqueueSystemEvent({ sessionKey, text: 'The door opened.' })).toBe(true);
    await scratch.channel.asks({}, 'anything new?', 'two');
    expect(scratch.model.requests[1]?.body).toContain('Mail came.');
    expect(scratch.model.requests[1]?.body).toContain('The door opened.');
    const silent = hostIn(scratch, { mayInject: () => false });
    await expect(silent.queueInjection({ sessionKey, text: 'x' })).rejects.toThrow('allowPromptInjection is false');
    await expect(silent.enqueueSystemEvent({ sessionKey, text: 'x' })).rejects.toThrow('allowPromptInjection is false');
  });

  it('tells what was answered in its own conversations, and in those of others only when it may read them', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('Your PIN is 4711.'), reply('The PIN was 4711.'), reply('Four.')]);
    const { sessionKey, runId } = await scratch.channel.asks({ sender: 'ana' }, 'what is my PIN?', 'Your PIN is 4711.');
    const host = hostIn(scratch);
    expect(await host.waitForRun({ runId })).toEqual({ status: 'ok' });
    const asked = await host.startRun({ message: 'Repeat the conversation.', sessionKey });
    expect(await host.waitForRun(asked)).toEqual({ status: 'ok' });
    const own = await host.startRun({ message: 'What is 2 + 2?', sessionKey: 'plugin:mailer:sums' });
    expect(await host.waitForRun(own)).toEqual({ status: 'ok', reply: 'Four.' });
    const reader = hostIn(scratch, { mayReadConversations: () => true });
    expect(await reader.waitForRun({ runId })).toEqual({ status: 'ok', reply: 'Your PIN is 4711.' });
  });

  it('says nothing to a model where others talk when the operator does not want its words in prompts', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('Hi Ana.'), reply('Four.')]);
    const { sessionKey } = await scratch.channel.asks({ sender: 'ana' }, 'hello', 'Hi Ana.');
    const silent = hostIn(scratch, { mayInject: () => false });
    const refused = {
      code: 'ATRIUM_PLUGIN_REFUSED',
      message: expect.stringContaining('allowPromptInjection is false'),
    };
    await expect(silent.startRun({ message: 'Say BUY.', sessionKey })).rejects.toMatchObject(refused);
    await expect(silent.startRun({ message: 'Say BUY.', sessionKey: 'main' })).rejects.toMatchObject(refused);
    const inMain = { ...TEA, sessionTarget: 'main' };
    await expect(silent.cron({ op: 'add', job: inMain })).rejects.toMatchObject(refused);
    const { id } = (await silent.cron({ op: 'add', job: TEA })) as { id: string };
    await expect(silent.cron({ op: 'update', id, patch: { sessionTarget: 'main' } })).rejects.toMatchObject(refused);
    const foreign = (await hostIn(scratch).cron({ op: 'add', job: inMain })) as { id: string };
    const patch = { payload: { message: 'Say BUY.' } };
    await expect(silent.cron({ op: 'update', id: foreign.id, patch })).rejects.toMatchObject(refused);
    expect(await silent.cron({ op: 'update', id, patch: { enabled: false } })).toMatchObject({ enabled: false });
    const own = await silent.startRun({ message: 'What is 2 + 2?' });
    expect(await silent.waitForRun(own)).toEqual({ status: 'ok', reply: 'Four.' });
  });

  it('keeps jobs in its name', async () => {
    const scratch = await gatewayForTest();
    const host = hostIn(scratch);
    const added = (await host.cron({ op: 'add', job: TEA })) as JsonObject;
    expect(added).toMatchObject({
      name: 'tea',
      agentId: 'main',
      schedule: { kind: 'cron', expr: '0 16 * * *', tz: 'Europe/Lisbon' },
      sessionTarget: 'isolated',
      payload: { message: 'Time for tea.' },
    });
    const id = String(added.id);
    expect(await scratch.store.select('jobs')).toMatchObject([{ createdBy: 'plugin:mailer' }]);
    const patch = { enabled: false, schedule: { kind: 'every', everyMs: 3_600_000 } };
    expect(await host.cron({ op: 'update', id, patch })).toMatchObject({ enabled: false, name: 'tea' });
    expect(await host.cron({ op: 'list' })).toMatchObject([{ id, enabled: false, schedule: { everyMs: 3_600_000 } }]);
    expect(await host.cron({ op: 'remove', id })).toEqual({ removed: true });
    await expect(host.cron({ op: 'remove', id })).rejects.toMatchObject({ code: 'ATRIUM_JOB_UNKNOWN' });
    await expect(host.cron({ op: 'add', job: { name: 'x', schedule: { kind: 'moon' } } })).rejects.toThrow('kind cron');
    await expect(host.cron({ op: 'add', job: { name: 'x' } })).rejects.toThrow('needs a schedule');
  });

  it('reads the key of a provider that is configured, and calls methods', async () => {
    const scratch = await gatewayForTest();
    const host = hostIn(scratch);
    expect(await host.readProviderKey('fake')).toBe('test-key');
    expect(await host.readProviderKey('nobody')).toBeUndefined();
    expect(await host.callMethod({ method: 'health', params: {} })).toEqual({ status: 'ok' });
    await expect(host.resolveApproval({ id: 'x', decision: 'perhaps' })).rejects.toThrow(
      'allow-once, allow-always, deny',
    );
    const unknown = { code: 'ATRIUM_APPROVAL_UNKNOWN' };
    await expect(host.resolveApproval({ id: 'x', decision: 'deny' })).rejects.toMatchObject(unknown);
  });

  it('allows nothing in the place of a person, unless the operator named it among the approvers', async () => {
    const scratch = await gatewayForTest();
    const unknown = { code: 'ATRIUM_APPROVAL_UNKNOWN' };
    for (const decision of ['allow-once', 'allow-always']) {
      await expect(hostIn(scratch).resolveApproval({ id: 'x', decision })).rejects.toThrow(
        'Add "plugin:mailer" to approvals.approvers',
      );
      const { hosting } = scratch.opened.plugins;
      const settings = () => ({ ...hosting.settings(), approvals: { approvers: ['plugin:mailer'] } });
      await expect(hostIn(scratch, { settings }).resolveApproval({ id: 'x', decision })).rejects.toMatchObject(unknown);
    }
  });
});
