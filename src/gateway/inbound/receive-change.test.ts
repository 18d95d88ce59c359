// Edits, deletions and reactions of people, in a whole gateway: none of them loses a message or doubles one.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { gate } from '../../testkit/gate.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { after, type RecordedRequest, reply } from '../../testkit/model-server.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';

const ANN = { sender: 'ann' };
const ANNS_KEY = 'agent:main:test:direct:ann';

function lastOf({ json }: RecordedRequest): string {
  return String((json.messages as readonly JsonObject[]).at(-1)?.content);
}

/** A gateway whose model answers "one" only when the gate opens, so that later messages wait. */
async function busyGateway(register?: Parameters<typeof gatewayForTest>[0]) {
  const scratch = await gatewayForTest({ channel: { can: 'everything' }, ...register });
  const held = gate();
  scratch.model.script((request) => {
    const answer = reply(`Answer to ${lastOf(request)}.`);
    return lastOf(request) === 'one' ? after(held.opened, answer) : answer;
  });
  await scratch.channel.says(ANN, 'one', { messageId: 'm1' });
  await scratch.model.waitForRequests(1);
  return { scratch, held };
}

async function noticesOf(scratch: ScratchGateway): Promise<readonly (string | null)[]> {
  const notices = async () =>
    scratch.store.select('transcript', { where: { kind: 'notice' }, orderBy: [['position', 'asc']] });
  return (await notices()).map(({ shown }) => shown);
}

/** Every trigger of the session is done. */
async function quiet(scratch: ScratchGateway): Promise<void> {
  await expect
    .poll(() => scratch.store.count('inbox', { status: { in: ['queued', 'claimed'] } }), { timeout: 20_000 })
    .toBe(0);
}

describe('an edit', () => {
  it('changes a message that waits, which is answered once and in its place', async () => {
    const { scratch, held } = await busyGateway();
    await scratch.channel.says(ANN, 'two', { messageId: 'm2' });
    await scratch.channel.says(ANN, 'three', { messageId: 'm3' });
    expect(await scratch.channel.editsMessage('m2', 'two and a half', { eventId: 'e1' })).toEqual({
      outcome: 'changed',
    });
    expect(await scratch.channel.editsMessage('m2', 'two and a half', { eventId: 'e1' })).toEqual({
      outcome: 'duplicate',
    });
    held.open();
    for (const said of ['one', 'two and a half', 'three']) await scratch.channel.expectDelivered(`Answer to ${said}.`);
    await quiet(scratch);
    scratch.channel.expectNothingMore();
    expect(await noticesOf(scratch)).toEqual([
      'ann edited the message m2 before it was read; the agent reads the new text.',
    ]);
  });

  it('of a message that was read is noted, without its words, and starts nothing', async () => {
    const { scratch, held } = await busyGateway();
    held.open();
    await scratch.channel.expectDelivered('Answer to one.');
    expect(await scratch.channel.editsMessage('m1', 'a secret')).toEqual({ outcome: 'noted' });
    await quiet(scratch);
    scratch.channel.expectNothingMore();
    expect(scratch.model.requests).toHaveLength(1);
    expect(await noticesOf(scratch)).toEqual([
      'ann edited the message m1 after it was read; the agent does not know the new text.',
    ]);
    expect(JSON.stringify(await scratch.store.select('inbox', {}))).not.toContain('a secret');
    // The note is for people: the next request does not tell it.
    await scratch.channel.says(ANN, 'two');
    await scratch.channel.expectDelivered('Answer to two.');
    expect(scratch.model.requests.at(-1)?.body).not.toContain('edited');
  });

  it('by another person, or one that a plugin claims, leaves the waiting message as it was', async () => {
    const { scratch, held } = await busyGateway({
      register: (hooks) => {
        hooks.register({
          hook: 'inbound_claim',
          id: 'filter',
          owner: 'filter',
          handler: ({ content }: { content: string }) => (content.includes('claimed') ? { handled: true } : undefined),
        });
      },
    });
    await scratch.channel.says(ANN, 'two', { messageId: 'm2' });
    expect(await scratch.channel.editsMessage('m2', 'something else', { sender: 'bob' })).not.toEqual({
      outcome: 'changed',
    });
    expect(await scratch.channel.editsMessage('m2', 'claimed')).toEqual({ outcome: 'noted' });
    held.open();
    await scratch.channel.expectDelivered('Answer to one.');
    await scratch.channel.expectDelivered('Answer to two.');
  });
});

describe('a deletion or a reaction', () => {
  it('takes nothing back and starts nothing: it is noted in order, once', async () => {
    const { scratch, held } = await busyGateway();
    await scratch.channel.says(ANN, 'two', { messageId: 'm2' });
    expect(await scratch.channel.deletesMessage('m2')).toEqual({ outcome: 'noted' });
    held.open();
    const { messageId } = await scratch.channel.expectDelivered('Answer to one.');
    await scratch.channel.expectDelivered('Answer to two.');
    const reaction = { sender: 'ann', eventId: 'e7' };
    expect(await scratch.channel.reactsTo(messageId, '👍', reaction)).toEqual({ outcome: 'noted' });
    expect(await scratch.channel.reactsTo(messageId, '👍', reaction)).toEqual({ outcome: 'duplicate' });
    await quiet(scratch);
    scratch.channel.expectNothingMore();
    expect(await noticesOf(scratch)).toEqual([
      'ann deleted the message m2 on the platform. What was said about it stays.',
      `ann reacted to the message ${messageId} with 👍.`,
    ]);
  });

  it('is ignored where no session is', async () => {
    const scratch = await gatewayForTest({ channel: { can: 'everything' } });
    scratch.model.script([reply('Hello.')]);
    await scratch.channel.asks(ANN, 'Hi', 'Hello.', { messageId: 'm1' });
    await scratch.services.sessions.delete(ANNS_KEY);
    expect(await scratch.channel.reactsTo('m1', '👍')).toEqual({ outcome: 'ignored' });
  });
});
