import { describe, expect, it } from 'vitest';
import type { ReceiveResult, SendOutcome } from '../channels/channel.ts';
import { type ChannelRig, describeChannel } from '../channels/channel-suite.ts';
import type { Inbound } from '../protocol/inbound.ts';
import { TestChannel, type TestChannelSettings } from './test-channel.ts';

describeChannel('the test channel', () => makeRig({}));
describeChannel('the test channel on a platform without keys', () => makeRig({ dedupes: false }));

async function makeRig(settings: TestChannelSettings): Promise<ChannelRig> {
  const channel = new TestChannel(settings);
  const place = { sender: 'owner', group: 'ops', thread: 't1' };
  return {
    channel,
    surface: channel.surface(place),
    says: (text, eventId) =>
      channel.says(place, text, { eventId }).then(
        () => true,
        () => false,
      ),
    shown: async () => channel.shown(place),
    draftShown: async () => channel.draftAt(place),
    remove: async () => {},
  };
}

describe('talking on the test channel', () => {
  it('names direct talks, groups, channels and threads as surfaces', () => {
    const channel = new TestChannel({ accounts: ['work', 'home'] });
    expect(channel.surface({ sender: 'guest' })).toEqual({
      channel: 'test',
      accountId: 'work',
      peer: { kind: 'direct', id: 'guest' },
    });
    expect(channel.surface({ account: 'home', channel: 'news', thread: 't1' })).toEqual({
      channel: 'test',
      accountId: 'home',
      peer: { kind: 'channel', id: 'news' },
      threadId: 't1',
    });
  });

  it('expects answers in order, at one place or anywhere', async () => {
    const channel = new TestChannel();
    await channel.open({ receive: () => Promise.reject(new Error('no gateway is there')) });
    const send = (sender: string, text: string, part: number) => sendTo(channel, sender, text, part);
    const expected = channel.expectDelivered('one', { sender: 'owner' });
    await send('guest', 'other', 1);
    await send('owner', 'one', 2);
    expect((await expected).text).toBe('one');
    expect(() => channel.expectNothingMore()).toThrow('"other"');
    await channel.expectDelivered(/oth/);
    channel.expectNothingMore();
    await send('owner', 'two', 3);
    await expect(channel.expectDelivered('three')).rejects.toThrow('"two" was delivered, where "three" was expected');
    await expect(channel.expectDelivered('four', undefined, 1)).rejects.toThrow('Nothing was delivered');
    await expect(channel.says({}, 'hello')).rejects.toThrow('no gateway is there');
  });

  it('asks, and wants the answer in the same place', async () => {
    const channel = new TestChannel();
    let parts = 0;
    const receive = async ({ text }: Inbound): Promise<ReceiveResult> => {
      await sendTo(channel, text, 'Yes.', ++parts);
      return { outcome: 'accepted', runId: 'run', sessionKey: 'agent:main:main' };
    };
    await channel.open({ receive });
    expect(await channel.asks({ sender: 'ann' }, 'ann', 'Yes.')).toMatchObject({ runId: 'run' });
    await expect(channel.asks({ sender: 'ann' }, 'ann', 'No.')).rejects.toThrow('"Yes." was delivered, where "No."');
    await expect(channel.asks({ sender: 'ann' }, 'bob', 'Yes.')).rejects.toThrow(/"bob"\], where .*"ann"\] had asked/);
  });
});

function sendTo(channel: TestChannel, sender: string, text: string, part: number): Promise<SendOutcome> {
  const surface = channel.surface({ sender });
  return channel.send({ key: `run:${part}`, seq: part, runId: 'run', part, surface, text, options: {}, attempt: 1 });
}
