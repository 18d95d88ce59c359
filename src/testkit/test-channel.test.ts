import { describe, expect, it } from 'vitest';
import type { ReceiveResult, SendOutcome } from '../channels/channel.ts';
import { type ChannelRig, describeChannel } from '../channels/channel-suite.ts';
import { NO_FILES } from '../channels/fixtures/no-files.ts';
import { type Inbound, surfaceId } from '../protocol/inbound.ts';
import { TestChannel, type TestChannelSettings } from './test-channel.ts';

describeChannel('the test channel', () => makeRig({}));
describeChannel('the test channel on a platform without keys', () => makeRig({ dedupes: false }));
describeChannel('the test channel with every capability', () => makeRig({ can: 'everything' }));
describeChannel('the test channel with every capability and without keys', () =>
  makeRig({ can: 'everything', dedupes: false }),
);

async function makeRig(settings: TestChannelSettings): Promise<ChannelRig> {
  const channel = new TestChannel(settings);
  const place = { sender: 'owner', group: 'ops', thread: 't1' };
  return {
    channel,
    surface: channel.surface(place),
    says: (text, eventId) => isTaken(channel.says(place, text, { eventId })),
    sends: (text, file, eventId) => isTaken(channel.says(place, text, { files: [file], eventId })),
    filesShown: async () => channel.messages.flatMap(({ files = [] }) => files),
    shown: async () => [...channel.shown(place), ...channel.draftsAt(place)],
    shownAt: async (surface) =>
      channel.messages.filter((each) => surfaceId(each.surface) === surfaceId(surface)).map(({ text }) => text),
    edits: (messageId, text, eventId) => isTaken(channel.editsMessage(messageId, text, { eventId })),
    deletes: (messageId, eventId) => isTaken(channel.deletesMessage(messageId, { eventId })),
    reacts: (messageId, emoji, eventId) => isTaken(channel.reactsTo(messageId, emoji, { eventId })),
    presses: (messageId, label, eventId) => isTaken(channel.presses(messageId, label, { eventId })),
    reactionsTo: async (messageId) => channel.reactionsTo(messageId),
    typingShown: async () => channel.typingAt.length > 0,
    remove: async () => {},
  };
}

/** Whether the platform was told "got it". */
function isTaken(event: Promise<unknown>): Promise<boolean> {
  return event.then(
    () => true,
    () => false,
  );
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
    await channel.open({
      ...NO_FILES,
      receive: () => Promise.reject(new Error('no gateway is there')),
      receiveChange: () => Promise.reject(new Error('no changes')),
    });
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
    await channel.open({ ...NO_FILES, receive, receiveChange: () => Promise.reject(new Error('no changes')) });
    expect(await channel.asks({ sender: 'ann' }, 'ann', 'Yes.')).toMatchObject({ runId: 'run' });
    await expect(channel.asks({ sender: 'ann' }, 'ann', 'No.')).rejects.toThrow('"Yes." was delivered, where "No."');
    await expect(channel.asks({ sender: 'ann' }, 'bob', 'Yes.')).rejects.toThrow(/"bob"\], where .*"ann"\] had asked/);
  });
});

function sendTo(channel: TestChannel, sender: string, text: string, part: number): Promise<SendOutcome> {
  const surface = channel.surface({ sender });
  return channel.send({ key: `run:${part}`, seq: part, runId: 'run', part, surface, text, options: {}, attempt: 1 });
}
