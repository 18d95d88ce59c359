// Discord on this machine, as a `FakePlatform`: a bot, a direct conversation for each person, and a server with one
// channel and its threads.

import type { FakeFault, FakePlace, FakePlatform } from '../fake-platform.ts';
import type { FakeChannel, FakePerson } from './discord-world.ts';
import { FakeDiscord } from './fake-discord.ts';

const SENDING = /^POST \/channels\/\d+\/messages/;

export async function openDiscordPlatform(names: readonly string[]): Promise<FakePlatform> {
  const discord = await FakeDiscord.start();
  const { world } = discord;
  const bot = discord.addBot('atrium');
  const people = names.map((name) => discord.addPerson(name));
  const guild = discord.addGuild('Team', [bot, ...people]);
  const team = discord.addChannel(guild, 'team');
  const directs = people.map((person) => ({ person, channel: discord.dm(bot, person) }));

  const channelOf = (placeId: string): FakeChannel => {
    const channel = world.channels.get(placeId);
    if (!channel) throw new Error(`There is no channel ${placeId}.`);
    return channel;
  };
  const personAt = (placeId: string, name: string | undefined): FakePerson => {
    const alone = directs.find(({ channel }) => channel.id === placeId)?.person;
    const person = alone ?? people.find((each) => each.name === name) ?? people[0];
    if (!person) throw new Error('There is no person on this Discord.');
    return person;
  };
  const suffer = (fault: FakeFault): void => {
    if (fault === 'disconnect') discord.gateway.cut();
    else if (fault === 'limit') discord.fault({ kind: 'limit', retryAfterMs: 1_000 }, { on: SENDING });
    else if (fault === 'break') discord.fault({ kind: 'status', status: 503 }, { on: SENDING });
    else if (fault === 'withhold') discord.fault({ kind: 'no-answer' }, { on: SENDING });
    else discord.gateway.disturbNext('duplicate');
  };
  return {
    id: 'discord',
    name: 'Discord',
    section: { token: bot.token, apiRoot: discord.apiRoot },
    places: () => [
      ...directs.map(
        ({ person, channel }): FakePlace => ({
          id: channel.id,
          name: person.name,
          kind: 'direct',
          people: [person.name],
        }),
      ),
      { id: team.id, name: 'team', kind: 'group', people: names },
      ...world.threadsOf(guild.id).map(({ id, name = id }): FakePlace => ({ id, name, kind: 'thread', people: names })),
    ],
    addressOf: (placeId) => {
      const direct = directs.find(({ channel }) => channel.id === placeId);
      const { parentId } = channelOf(placeId);
      if (direct) return { to: `direct:${direct.person.id}` };
      return parentId === undefined ? { to: `channel:${placeId}` } : { to: `channel:${parentId}`, threadId: placeId };
    },
    says: async (placeId, text, { person, isAside, file } = {}) => {
      const isPlain = isAside || directs.some(({ channel }) => channel.id === placeId);
      const said = isPlain ? text : `<@${bot.id}> ${text}`;
      discord.says(personAt(placeId, person), channelOf(placeId), said, { files: file ? [file] : [] });
    },
    opensThread: async (placeId, name) =>
      discord.opensThread(personAt(placeId, undefined), channelOf(placeId), name).id,
    presses: async (placeId, messageId, label, { person } = {}) => {
      discord.presses(personAt(placeId, person), messageId, label);
    },
    shown: (placeId) =>
      world.messagesIn(placeId).map((message) => ({
        id: message.id,
        author: world.nameOf(message.authorId),
        isBot: message.authorId === bot.id,
        text: message.content,
        buttons: labelsOf(message.components),
        files: message.files.map(({ name }) => name),
        reactions: discord.reactionsOf(bot, message.id),
        at: Number((BigInt(message.id) >> 22n) + 1_420_070_400_000n),
      })),
    isTyping: (placeId) => discord.isTyping({ id: placeId }),
    suffer,
    stop: () => discord.stop(),
  };
}

function labelsOf(components: readonly unknown[]): readonly string[] {
  const rows = components as readonly { readonly components?: readonly { readonly label?: string }[] }[];
  return rows.flatMap((row) => row.components ?? []).flatMap(({ label }) => (label === undefined ? [] : [label]));
}
