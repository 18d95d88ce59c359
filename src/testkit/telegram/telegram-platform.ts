// Telegram on this machine, as a `FakePlatform`: a bot, a direct chat for each person, and a group of all of them.

import type { FakeFault, FakeMessage, FakeMessageDetails, FakePlace, FakePlatform } from '../fake-platform.ts';
import type { TelegramChat, TelegramPerson } from './telegram-chat.ts';
import { type TelegramEvent, type TelegramPlace, TelegramServer } from './telegram-server.ts';

export async function openTelegramPlatform(names: readonly string[]): Promise<FakePlatform> {
  const server = await TelegramServer.start();
  const bot = server.addBot({ username: 'atrium_bot' });
  const people = names.map((name) => server.addPerson(name, name.toLowerCase()));
  const directs = people.map((person) => ({ person, chat: server.directChat(bot, person) }));
  const group = server.addGroup('Team', [bot], 'forum');
  let latest: TelegramEvent | undefined;

  const chatOf = (placeId: string): { readonly chat: TelegramChat; readonly topic?: number } => {
    const [id, topic] = placeId.split('#');
    const chat = [...directs.map((each) => each.chat), group].find((each) => String(each.id) === id);
    if (!chat) throw new Error(`There is no chat ${placeId}.`);
    return topic === undefined ? { chat } : { chat, topic: Number(topic) };
  };
  const placeOf = (placeId: string, { person: name }: Pick<FakeMessageDetails, 'person'> = {}): TelegramPlace => {
    const { chat, topic } = chatOf(placeId);
    const sender = chat.person ?? people.find((person) => person.name === name) ?? people[0];
    return { chat, sender, topic };
  };
  const suffer = (fault: FakeFault): void => {
    if (fault === 'disconnect') server.disconnect();
    else if (fault === 'limit') server.fault('sendMessage', { status: 429, retryAfter: 1 });
    else if (fault === 'break') server.fault('sendMessage', 'bad-gateway');
    else if (fault === 'withhold') server.fault('sendMessage', 'answer-lost');
    else if (latest) server.repeats(latest);
  };
  return {
    id: 'telegram',
    name: 'Telegram',
    section: { botToken: bot.token, apiRoot: server.apiRoot },
    places: () => [
      ...directs.map(({ person, chat }) => directPlace(chat, person)),
      { id: String(group.id), name: 'Team', kind: 'group', people: names },
      ...[...group.topics].map(
        ([topic, name]): FakePlace => ({ id: `${group.id}#${topic}`, name, kind: 'thread', people: names }),
      ),
    ],
    addressOf: (placeId) => {
      const { chat, topic } = chatOf(placeId);
      const to = `${chat.person ? 'direct' : 'group'}:${chat.id}`;
      return topic === undefined ? { to } : { to, threadId: String(topic) };
    },
    says: async (placeId, text, given = {}) => {
      const place = placeOf(placeId, given);
      const isPlain = given.isAside || place.chat.person || text.startsWith('/');
      const said = isPlain ? text : `@${bot.username} ${text}`;
      latest = given.file ? server.sends(place, given.file, { caption: said }) : server.says(place, said);
    },
    opensThread: async (placeId, name) => `${placeId}#${chatOf(placeId).chat.openTopic(name)}`,
    presses: async (placeId, messageId, label, given) => {
      server.presses(placeOf(placeId, given), Number(messageId), label);
    },
    shown: (placeId) => {
      const { chat, topic } = chatOf(placeId);
      return chat.list(topic ?? (chat.isForum ? 0 : undefined)).map(
        (message): FakeMessage => ({
          id: String(message.messageId),
          author: message.bot?.username ?? authorOf(message.raw),
          isBot: message.bot !== undefined,
          text: message.text,
          buttons: message.buttons.map(({ label }) => label),
          files: message.files.map(({ name }) => name),
          reactions: server.reactionsTo({ chat }, message.messageId),
          at: Number(message.raw.date) * 1_000,
        }),
      );
    },
    isTyping: (placeId) => server.isTyping(placeOf(placeId)),
    suffer,
    stop: () => server.stop(),
  };
}

function directPlace(chat: TelegramChat, { name }: TelegramPerson): FakePlace {
  return { id: String(chat.id), name, kind: 'direct', people: [name] };
}

function authorOf({ from }: { readonly from?: unknown }): string {
  return (from as { readonly first_name?: string } | undefined)?.first_name ?? '';
}
