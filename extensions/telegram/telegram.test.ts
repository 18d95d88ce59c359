// The channel of Telegram with the real client library, against the Telegram of the testkit: the contract in a direct
// chat, in a group and in a topic, and then everything that is special about this platform.

import { setTimeout as sleep } from 'node:timers/promises';
import { type ChannelRig, describeChannel } from '../../src/channels/channel-suite.ts';
import type { TelegramPlace } from '../../src/testkit/telegram/telegram-server.ts';
import { TelegramServer } from '../../src/testkit/telegram/telegram-server.ts';
import { accountFor, channelFor } from './fixtures/telegram-rig.ts';
import { surfaceOf } from './surface.ts';

describeChannel('Telegram, a direct chat', () => makeRig('direct'));
describeChannel('Telegram, a group', () => makeRig('group'));
describeChannel('Telegram, a topic', () => makeRig('topic'));

async function makeRig(where: 'direct' | 'group' | 'topic'): Promise<ChannelRig> {
  const telegram = await TelegramServer.start();
  const bot = telegram.addBot({ hasTopics: true });
  const ann = telegram.addPerson('Ann', 'ann');
  const chat = where === 'direct' ? telegram.directChat(bot, ann) : telegram.addGroup('Ops', [bot], 'forum');
  const topic = where === 'topic' ? chat.openTopic('Releases') : undefined;
  const place: TelegramPlace = { chat, sender: ann, topic };
  const { channel } = channelFor([accountFor(telegram, bot)]);
  const events = new Map<string, { isTaken(): Promise<boolean> }>();
  /** The same event id is the same event: Telegram hands it out until it is taken. */
  const once = async (eventId: string, happen: () => { isTaken(): Promise<boolean> }): Promise<boolean> => {
    const event = events.get(eventId) ?? happen();
    events.set(eventId, event);
    const isOpen = channel.accounts.list().some(({ state }) => state === 'connected');
    return isOpen ? event.isTaken() : Promise.race([event.isTaken(), sleep(300, false)]);
  };
  return {
    channel,
    surface: surfaceOf('default', { id: chat.id, type: chat.type }, topic),
    says: (text, eventId) => once(eventId, () => telegram.says(place, text)),
    sends: (text, file, eventId) => once(eventId, () => telegram.sends(place, file, { caption: text })),
    filesShown: async () => telegram.messages(place).flatMap(({ files }) => files),
    shown: async () => telegram.shown(place),
    shownAt: async ({ threadId }) => telegram.shown({ chat, topic: threadId === undefined ? 0 : Number(threadId) }),
    edits: (messageId, text, eventId) => once(eventId, () => telegram.edits(place, Number(messageId), text)),
    reacts: (messageId, emoji, eventId) => once(eventId, () => telegram.reacts(place, Number(messageId), emoji)),
    presses: (messageId, label, eventId) => once(eventId, () => telegram.presses(place, Number(messageId), label)),
    reactionsTo: async (messageId) => telegram.reactionsTo(place, Number(messageId)),
    typingShown: () => telegram.until(() => telegram.isTyping(place), 'somebody is typing'),
    ready: async () => {
      await telegram.until(() => channel.accounts.list()[0]?.state === 'connected', 'the bot is connected');
    },
    remove: () => telegram.stop(),
  };
}
