import { describe, expect, it } from 'vitest';
import { NEVER, openAgain, openDiscord, partFor } from './fixtures/open-discord.ts';

describe('messages of Discord', () => {
  it('says where a message came from, who wrote it and with which roles', async () => {
    const { rig, platform, port } = await openDiscord();
    platform.says(rig.ann, rig.general, 'hello');
    await platform.until(() => port.received.length === 1, 'the message came');
    expect(port.received[0]).toMatchObject({
      surface: { channel: 'discord', accountId: 'default', peer: { kind: 'channel', id: rig.general.id } },
      sender: { id: rig.ann.id, name: 'Ann', username: 'ann' },
      space: { id: rig.guild.id, name: 'Friends', senderRoles: ['5001'] },
      placeName: 'general',
      wasMentioned: false,
    });
  });

  it('knows when it is spoken to: by name, by a role, by a reply, in its threads, in a direct message', async () => {
    const { rig, platform, port, channel } = await openDiscord();
    const sent = await channel.send(partFor(rig.surfaceOf(rig.general), 'I am here'), NEVER);
    const [own] = platform.botMessages(rig.general);
    expect(sent).toMatchObject({ outcome: 'sent', receipt: { messageId: own?.id } });
    const thread = platform.opensThread(rig.ann, rig.general, 'A matter');
    platform.says(rig.ann, rig.general, `<@${rig.bot.id}> hello`);
    platform.says(rig.ann, rig.general, '<@&6001> anybody?');
    platform.says(rig.ann, rig.general, '<@&7001> not you');
    platform.says(rig.ann, rig.general, 'why?', { replyTo: own?.id });
    platform.says(rig.ann, rig.dm, 'psst');
    await platform.until(() => port.received.length === 5, 'the messages came');
    platform.says(rig.ann, thread, 'before');
    await platform.until(() => port.texts.includes('before'), 'the message in the thread came');
    await channel.send(partFor(rig.surfaceOf(thread), 'I join', { part: 2 }), NEVER);
    await platform.until(() => platform.shown(thread).length === 1, 'the bot has joined');
    platform.says(rig.bob, thread, 'after');
    await platform.until(() => port.texts.includes('after'), 'the next one came');
    const mentioned = Object.fromEntries(port.received.map(({ text, wasMentioned }) => [text, wasMentioned]));
    expect(mentioned).toEqual({
      hello: true,
      '<@&6001> anybody?': true,
      '<@&7001> not you': false,
      'why?': true,
      psst: true,
      before: false,
      after: true,
    });
    expect(port.received.find(({ text }) => text === 'why?')).toMatchObject({
      replyToId: own?.id,
      quote: { text: 'I am here', isOwn: true, sender: { id: rig.bot.id } },
    });
  });

  it('takes the bot away from the front, so that a command after its name is one', async () => {
    const { rig, platform, port } = await openDiscord();
    platform.says(rig.ann, rig.general, `<@!${rig.bot.id}>, /new`);
    platform.says(rig.ann, rig.general, `ask <@${rig.bot.id}> or <@${rig.bob.id}>`);
    platform.says(rig.ann, rig.general, `<@${rig.bot.id}>`);
    await platform.until(() => port.received.length === 3, 'the messages came');
    expect(port.texts).toEqual(['/new', `ask @atrium or <@${rig.bob.id}>`, '@atrium']);
  });

  it('leaves other bots alone, unless it is told otherwise, and then not for ever', async () => {
    const quiet = await openDiscord();
    const robot = quiet.platform.addPerson('Robot', { isBot: true });
    quiet.platform.says(robot, quiet.rig.general, 'beep');
    quiet.platform.says(quiet.rig.ann, quiet.rig.general, 'hello');
    await quiet.platform.until(() => quiet.port.received.length === 1, 'the person is heard');
    expect(quiet.port.texts).toEqual(['hello']);

    const open = await openDiscord({
      allowBots: 'mentions',
      botLoop: { most: 2, windowMs: 60_000, cooldownMs: 60_000 },
    });
    const other = open.platform.addPerson('Robot', { isBot: true });
    open.platform.says(other, open.rig.general, 'beep');
    for (const each of ['1', '2', '3', '4'])
      open.platform.says(other, open.rig.general, `<@${open.rig.bot.id}> ${each}`);
    open.platform.says(open.rig.ann, open.rig.general, 'hello');
    await open.platform.until(() => open.port.texts.includes('hello'), 'the person is heard');
    expect(open.port.texts).toEqual(['1', '2', 'hello']);
    expect(open.rig.warnings).toEqual([expect.stringContaining('writes too much')]);
  });

  it('leaves messages to others alone where it is told to', async () => {
    const opened = await openDiscord();
    const { rig, platform } = opened;
    await opened.channel.close();
    const guilds = { [rig.guild.id]: { isOn: true, requireMention: false, ignoreOtherMentions: true } };
    const { port, channel } = await openAgain(rig, opened.port, { guilds });
    await rig.isConnected(channel);
    platform.says(rig.ann, rig.general, `<@${rig.bob.id}> lunch?`);
    platform.says(rig.ann, rig.general, `<@${rig.bob.id}> and <@${rig.bot.id}>, lunch?`);
    await platform.until(() => port.received.length === 1, 'one came');
    expect(port.texts).toEqual([`<@${rig.bob.id}> and @atrium, lunch?`]);
  });

  it('keeps files, and names those that it could not have', async () => {
    const { rig, platform, port } = await openDiscord({ maxFileBytes: 10 });
    const voice = { name: 'voice-message.ogg', bytes: Buffer.from('ogg') };
    const large = { name: '../film.mp4', bytes: Buffer.alloc(11) };
    const gone = { name: 'gone.txt', bytes: Buffer.from('gone') };
    platform.says(rig.ann, rig.general, '', { files: [voice] });
    await platform.until(() => port.received.length === 1, 'the voice note came');
    const before = new Set(platform.world.files.keys());
    platform.says(rig.ann, rig.general, 'look', { files: [large, voice] });
    await platform.until(() => port.received.length === 2, 'the files came');
    platform.says(rig.ann, rig.general, 'and', { files: [gone] });
    for (const id of platform.world.files.keys()) if (!before.has(id)) platform.world.files.delete(id);
    await platform.until(() => port.received.length === 3, 'the last came');
    expect(port.received.map(({ text, attachments = [] }) => [text, attachments.map(({ name }) => name)])).toEqual([
      ['', ['voice-message.ogg']],
      ['look\n[File: film.mp4. It is larger than 10 bytes and was not fetched.]', ['voice-message.ogg']],
      ['and\n[File: gone.txt. Discord does not have it any more.]', []],
    ]);
  });

  it('hands over posts of forums as threads of the forum', async () => {
    const { rig, platform, port } = await openDiscord();
    const forum = platform.addChannel(rig.guild, 'questions', 'forum');
    const post = platform.opensThread(rig.ann, forum, 'How?', 'How does it work?');
    await platform.until(() => port.received.length === 1, 'the post came');
    expect(port.received[0]).toMatchObject({
      text: 'How does it work?',
      surface: { peer: { kind: 'channel', id: forum.id }, threadId: post.id },
      placeName: 'How?',
    });
  });

  it('tells reactions that are taken back and deletions in bulk, and nothing that the bot did itself', async () => {
    const guilds = { '*': { isOn: true, reactionNotifications: 'all' as const } };
    const { rig, platform, port, channel } = await openDiscord({ guilds });
    const surface = rig.surfaceOf(rig.general);
    const { id } = platform.says(rig.ann, rig.general, 'hello');
    await platform.until(() => port.received.length === 1, 'the message came');
    await channel.reactions.react({ surface, messageId: id, emoji: '👀' }, NEVER);
    platform.reacts(rig.bob, id, '🎉');
    platform.reacts(rig.bob, id, '🎉', { isRemoved: true });
    platform.reacts(rig.bob, id, '🎉');
    platform.deletes(id);
    await platform.until(() => port.changes.length === 4, 'the changes came');
    expect(port.changes).toMatchObject([
      { kind: 'reaction', emoji: '🎉', sender: { id: rig.bob.id, name: 'Bob' } },
      { kind: 'reaction', emoji: '🎉', isRemoved: true, sender: { id: rig.bob.id } },
      { kind: 'reaction', emoji: '🎉' },
      { kind: 'delete', messageId: id, sender: { id: rig.ann.id } },
    ]);
  });
});

describe('reactions that are noted', () => {
  it.each([
    [undefined, ['to the bot']],
    ['own', ['to the bot']],
    ['off', []],
    ['allowlist', ['to the bot', 'to Ann']],
  ] as const)('with %s they are those', async (reactionNotifications, expected) => {
    const opened = await openDiscord();
    const { rig, platform, port } = opened;
    await opened.channel.close();
    const guilds = { [rig.guild.id]: { isOn: true, users: [rig.bob.id], reactionNotifications } };
    const { channel } = await openAgain(rig, port, { guilds });
    await rig.isConnected(channel);
    await channel.send(partFor(rig.surfaceOf(rig.general), 'I am here'), NEVER);
    const own = platform.botMessages(rig.general)[0]?.id ?? '';
    const { id } = platform.says(rig.ann, rig.general, 'hello');
    platform.reacts(rig.bob, own, '🎉');
    platform.reacts(rig.bob, id, '🎉');
    platform.reacts(rig.ann, id, '👍');
    platform.says(rig.ann, rig.general, 'done');
    await platform.until(() => port.texts.includes('done'), 'everything came');
    const names = new Map([
      [own, 'to the bot'],
      [id, 'to Ann'],
    ]);
    expect(port.changes.map(({ messageId }) => names.get(messageId))).toEqual(expected);
  });
});

describe('a thread for every answer', () => {
  it('gives the message to a thread that the answer opens', async () => {
    const opened = await openDiscord();
    const { rig, platform } = opened;
    await opened.channel.close();
    const guilds = { [rig.guild.id]: { isOn: true, requireMention: true } };
    const { port, channel } = await openAgain(rig, opened.port, { autoThread: true, guilds });
    await rig.isConnected(channel);
    platform.says(rig.bob, rig.general, 'just talking');
    const { id } = platform.says(
      rig.ann,
      rig.general,
      `<@${rig.bot.id}> please plan the trip to the sea for next week`,
    );
    await platform.until(() => port.received.length === 2, 'the messages came');
    const [chatter, asked] = port.received;
    expect(chatter?.surface).toEqual(rig.surfaceOf(rig.general));
    const thread = { ...rig.surfaceOf(rig.general), threadId: id };
    expect(asked?.surface).toEqual(thread);
    expect(await channel.history.readHistory({ surface: thread, limit: 10, before: id }, NEVER)).toEqual({
      outcome: 'done',
      value: [],
    });
    channel.typing.show(thread);
    await platform.until(() => platform.isTyping(rig.general), 'the bot is typing in the channel');
    expect(platform.world.channels.has(id)).toBe(false);
    expect((await channel.send(partFor(thread, 'Gladly.'), NEVER)).outcome).toBe('sent');
    expect(platform.world.channels.get(id)).toMatchObject({ parentId: rig.general.id, name: /^please plan the trip/ });
    expect(platform.shown({ id })).toEqual(['Gladly.']);
    expect(platform.shown(rig.general)).toEqual([]);
    await channel.reactions.react({ surface: thread, messageId: id, emoji: '👍' }, NEVER);
    expect(platform.reactionsOf(rig.bot, id)).toEqual(['👍']);
    const said = platform.world.channels.get(id);
    if (said) platform.says(rig.ann, said, 'and back');
    await platform.until(() => port.texts.includes('and back'), 'the next one came');
    expect(port.received.at(-1)).toMatchObject({ surface: thread, wasMentioned: true });
    const history = await channel.history.readHistory({ surface: thread, limit: 10 }, NEVER);
    expect(history).toMatchObject({
      value: [{ messageId: id }, { text: 'Gladly.', isOwn: true }, { text: 'and back' }],
    });
    platform.edits(id, 'please plan it');
    await platform.until(() => port.changes.length === 1, 'the edit came');
    expect(port.changes[0]).toMatchObject({ kind: 'edit', surface: thread });
  });

  it('opens the thread also after a restart, once', async () => {
    const opened = await openDiscord({ autoThread: true });
    const { rig, platform, port } = opened;
    const { id } = platform.says(rig.ann, rig.general, `<@${rig.bot.id}> what is the time`);
    await platform.until(() => port.received.length === 1, 'the message came');
    await opened.channel.close();
    const { channel } = await openAgain(rig, port, { autoThread: true });
    const thread = { ...rig.surfaceOf(rig.general), threadId: id };
    for (const part of [1, 2]) {
      expect((await channel.send(partFor(thread, `part ${part}`, { part }), NEVER)).outcome).toBe('sent');
    }
    expect(platform.world.channels.get(id)?.name).toBe('what is the time');
    expect(platform.shown({ id })).toEqual(['part 1', 'part 2']);
  });
});

describe('commands and buttons', () => {
  it('offers the commands once, and takes a use of one as text', async () => {
    const { rig, platform, port } = await openDiscord();
    await platform.until(() => platform.commandsOf(rig.bot).length === 2, 'the commands are offered');
    expect(platform.commandsOf(rig.bot)).toEqual(['new', 'status']);
    const { id } = platform.uses(rig.ann, rig.bot, rig.general, 'new', 'with care');
    await platform.until(() => port.received.length === 1, 'the first came');
    platform.uses(rig.ann, rig.bot, rig.dm, 'status');
    await platform.until(() => port.received.length === 2, 'both came');
    expect(port.received).toMatchObject([
      {
        text: '/new with care',
        surface: rig.surfaceOf(rig.general),
        wasMentioned: true,
        sender: { id: rig.ann.id, name: 'Ann' },
        space: { senderRoles: ['5001'] },
      },
      { text: '/status', surface: rig.surfaceOf(rig.dm) },
    ]);
    const answers = () => platform.interactions.get(`token-of-${id}`)?.answers ?? [];
    await platform.until(() => answers().length === 1, 'it was acknowledged');
    expect(answers()).toEqual([{ type: 4, content: 'Received: `/new with care`', isEphemeral: true }]);
    const registrations = () => platform.rest.requests.filter((each) => each.startsWith('PUT /applications'));
    expect(registrations()).toHaveLength(1);
    await openAgain(rig, port).then(({ channel }) => rig.isConnected(channel));
    expect(registrations()).toHaveLength(1);
  });

  it('offers them in the servers that are named, or not at all', async () => {
    const { rig, platform } = await openDiscord({ nativeCommands: { isOn: false, guilds: [] } });
    const { port } = { port: (await openDiscord()).port };
    const again = await openAgain(rig, port, { nativeCommands: { isOn: true, guilds: [rig.guild.id] } });
    await rig.isConnected(again.channel);
    await platform.until(() => platform.commandsOf(rig.bot, rig.guild).length === 2, 'the server offers them');
    expect(platform.commandsOf(rig.bot)).toEqual([]);
  });

  it('acknowledges before it is stored when storing takes long, and stores it all the same', async () => {
    const { rig, platform, port } = await openDiscord();
    let release = (): void => {};
    port.before = () => new Promise<void>((resolve) => (release = resolve));
    const { id } = platform.uses(rig.ann, rig.bot, rig.general, 'status');
    const answers = () => platform.interactions.get(`token-of-${id}`)?.answers ?? [];
    await platform.until(() => answers().length === 1, 'it was acknowledged early');
    expect(answers()).toMatchObject([{ type: 5, isEphemeral: true }]);
    expect(port.received).toEqual([]);
    release();
    await platform.until(() => answers().length === 2, 'the rest was said');
    expect(answers()[1]?.content).toBe('Received: `/status`');
    expect(port.texts).toEqual(['/status']);
  });

  it('acknowledges a press after it is stored, also of a long value and after a restart', async () => {
    const opened = await openDiscord();
    const { rig, platform, port } = opened;
    const long = `/approve a1 allow-once ${'x'.repeat(300)}`;
    const surface = rig.surfaceOf(rig.general);
    const buttons = [
      { label: 'Yes', value: long },
      { label: 'No', value: '/approve a1 deny' },
    ];
    await opened.channel.send(partFor(surface, 'May I?', { buttons }), NEVER);
    const [question] = platform.botMessages(rig.general);
    await opened.channel.close();
    const again = await openAgain(rig, port);
    await rig.isConnected(again.channel);
    const { id } = platform.presses(rig.bob, question?.id ?? '', 'Yes');
    await platform.until(() => port.received.length === 1, 'the press came');
    expect(port.received[0]).toMatchObject({ text: long, sender: { id: rig.bob.id }, surface });
    const answers = () => platform.interactions.get(`token-of-${id}`)?.answers ?? [];
    await platform.until(() => answers().length === 1, 'it was acknowledged');
    expect(answers()[0]?.type).toBe(6);
    rig.kept.delete('default buttons');
    await again.channel.close();
    const forgetful = await openAgain(rig, port);
    await rig.isConnected(forgetful.channel);
    const late = platform.presses(rig.bob, question?.id ?? '', 'Yes');
    const lateAnswers = () => platform.interactions.get(`token-of-${late.id}`)?.answers ?? [];
    await platform.until(() => lateAnswers().length === 1, 'the person is told');
    expect(lateAnswers()[0]).toMatchObject({ content: expect.stringContaining('too old'), isEphemeral: true });
  });
});
