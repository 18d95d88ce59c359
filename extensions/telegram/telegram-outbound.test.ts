// What agents say, as people see it on Telegram: over the wire of the testkit's Telegram, with the real client.

import { describe, expect, it } from 'vitest';
import type { AttachmentRef } from '../../src/protocol/attachment.ts';
import { NO_LIMIT, openTelegram, partAt, surfaceAt } from './fixtures/telegram-rig.ts';

describe('an answer', () => {
  it('is shown with the markup of Telegram', async () => {
    const { telegram, dm, channel } = await openTelegram();
    await channel.send(partAt(dm, '**Done.** See `a < b` & [docs](https://example.com/?a=1&b=2)'), NO_LIMIT);
    expect(telegram.shown(dm)).toEqual(['Done. See a < b & docs']);
    expect(telegram.callsOf('sendMessage')[0]?.payload).toMatchObject({
      parse_mode: 'HTML',
      text: '<b>Done.</b> See <code>a &lt; b</code> &amp; <a href="https://example.com/?a=1&amp;b=2">docs</a>',
    });
  });

  it('is shown as it is written when Telegram does not take its markup', async () => {
    const { telegram, dm, channel } = await openTelegram();
    telegram.fault('sendMessage', { status: 400, description: "Bad Request: can't parse entities: no such tag" });
    expect(await channel.send(partAt(dm, '**Done.**'), NO_LIMIT)).toMatchObject({ outcome: 'sent' });
    expect(telegram.shown(dm)).toEqual(['**Done.**']);
  });

  it('that its markup makes too long is shown as it is written', async () => {
    const { telegram, dm, channel } = await openTelegram();
    const wide = `| a | b |\n|---|---|\n| ${'x'.repeat(100)} | y |\n${'| 1 | 2 |\n'.repeat(300)}`;
    expect(wide.length).toBeLessThan(channel.maxTextLength);
    expect(await channel.send(partAt(dm, wide), NO_LIMIT)).toMatchObject({ outcome: 'sent' });
    expect(telegram.shown(dm)).toEqual([wide.trim()]);
  });

  it('of markup alone is shown as it is written', async () => {
    const { telegram, dm, channel } = await openTelegram();
    await channel.send(partAt(dm, '[a]: https://example.com'), NO_LIMIT);
    expect(telegram.shown(dm)).toEqual(['[a]: https://example.com']);
  });

  it('in General names no topic, and typing there names it by its number', async () => {
    const { telegram, bot, ann, channel } = await openTelegram();
    const chat = telegram.addGroup('Forum', [bot], 'forum');
    await telegram.says({ chat, sender: ann }, 'hi').confirmed();
    await channel.send(partAt({ chat }, 'hello'), NO_LIMIT);
    channel.typing.show(surfaceAt({ chat }));
    await telegram.until(() => telegram.isTyping({ chat }), 'typing is shown');
    expect(telegram.callsOf('sendMessage')[0]?.payload).not.toHaveProperty('message_thread_id');
    expect(telegram.callsOf('sendChatAction')[0]?.payload).toMatchObject({ message_thread_id: 1 });
  });

  it.each([
    ['off', [undefined, undefined]],
    ['first', ['asked', undefined]],
    ['all', ['asked', 'asked']],
  ] as const)('answers the message by replyToMode %s', async (replyToMode, expected) => {
    const { telegram, dm, channel } = await openTelegram({ replyToMode });
    const { messageId } = telegram.says(dm, 'question');
    const options = { replyToId: String(messageId) };
    await channel.send(partAt(dm, 'one', { options }), NO_LIMIT);
    await channel.send(partAt(dm, 'two', { part: 2, options }), NO_LIMIT);
    const replies = telegram.messages(dm).map(({ replyTo }) => (replyTo === messageId ? 'asked' : replyTo));
    expect(replies).toEqual(expected);
  });

  it('to a message that is gone is sent all the same', async () => {
    const { telegram, dm, channel } = await openTelegram({ replyToMode: 'all' });
    expect(await channel.send(partAt(dm, 'one', { options: { replyToId: '999' } }), NO_LIMIT)).toMatchObject({
      outcome: 'sent',
    });
    expect(telegram.shown(dm)).toEqual(['one']);
  });

  it('shows links without a preview where the operator wants none', async () => {
    const { telegram, dm, channel } = await openTelegram({ showsLinkPreviews: false });
    await channel.send(partAt(dm, 'https://example.com'), NO_LIMIT);
    expect(telegram.callsOf('sendMessage')[0]?.payload).toMatchObject({ link_preview_options: { is_disabled: true } });
  });

  it('shows buttons only where the operator wants them', async () => {
    const { telegram, dm, bot, channel } = await openTelegram({ showsButtons: { direct: false, shared: true } });
    const chat = telegram.addGroup('Ops', [bot]);
    const buttons = [{ label: 'Yes', value: 'yes' }];
    await channel.send(partAt(dm, 'May I?', { buttons }), NO_LIMIT);
    await channel.send(partAt({ chat }, 'May I?', { buttons, part: 2 }), NO_LIMIT);
    expect(telegram.messages(dm)[0]?.buttons).toEqual([]);
    expect(telegram.messages({ chat })[0]?.buttons).toMatchObject([{ label: 'Yes' }]);
  });
});

describe('files of an answer', () => {
  const file = (name: string, mime: string, size = 4): AttachmentRef => ({ hash: name, name, mime, size });
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

  it.each([
    ['image/png', 'sendPhoto'],
    ['image/gif', 'sendAnimation'],
    ['audio/mpeg', 'sendAudio'],
    ['audio/ogg', 'sendVoice'],
    ['video/mp4', 'sendVideo'],
    ['application/pdf', 'sendDocument'],
  ])('of the type %s are sent by %s, with the text below', async (mime, method) => {
    const { telegram, dm, channel, port } = await openTelegram();
    port.files.set('a file; "x"', png);
    const attachments = [file('a file; "x"', mime)];
    expect(await channel.send(partAt(dm, '*Here*', { attachments }), NO_LIMIT)).toMatchObject({ outcome: 'sent' });
    expect(telegram.callsOf(method)).toHaveLength(1);
    expect(telegram.messages(dm)).toMatchObject([{ text: 'Here', files: [{ name: 'a file_ _x_', bytes: png }] }]);
  });

  it('that are no picture after all come as documents', async () => {
    const { telegram, dm, channel, port } = await openTelegram();
    port.files.set('x.png', Buffer.from('nothing'));
    await channel.send(partAt(dm, '', { attachments: [file('x.png', 'image/png')] }), NO_LIMIT);
    expect(telegram.messages(dm)).toMatchObject([{ files: [{ name: 'x.png' }] }]);
    expect(telegram.callsOf('sendDocument')).toHaveLength(1);
  });

  it('that are several, or have a long text, come behind the text, and each once however often it is tried', async () => {
    const { telegram, dm, channel, port } = await openTelegram();
    for (const name of ['a.bin', 'b.bin']) port.files.set(name, png);
    const part = partAt(dm, 'x'.repeat(2_000), { attachments: [file('a.bin', 'x/y'), file('b.bin', 'x/y')] });
    telegram.fault('sendDocument', { status: 500 });
    expect(await channel.send(part, NO_LIMIT)).toMatchObject({ outcome: 'retry' });
    telegram.fault('sendDocument', { status: 429, retryAfter: 7 });
    expect(await channel.send({ ...part, attempt: 2 }, NO_LIMIT)).toMatchObject({ outcome: 'retry', afterMs: 7_000 });
    const sent = await channel.send({ ...part, attempt: 3 }, NO_LIMIT);
    const messages = telegram.messages(dm);
    expect(messages.map(({ text, files }) => [text.length, files.map(({ name }) => name)])).toEqual([
      [2_000, []],
      [0, ['a.bin']],
      [0, ['b.bin']],
    ]);
    expect(sent).toEqual({
      outcome: 'sent',
      receipt: {
        messageId: String(messages[0]?.messageId),
        messageIds: messages.map(({ messageId }) => String(messageId)),
      },
    });
  });

  it('that are no longer there are named', async () => {
    const { telegram, dm, channel } = await openTelegram();
    await channel.send(partAt(dm, 'Here', { attachments: [file('a.bin', 'x/y')] }), NO_LIMIT);
    expect(telegram.shown(dm)).toEqual(['Here\n\n[The file a.bin is no longer there.]']);
  });

  it('behind a draft take the place of nothing', async () => {
    const { telegram, dm, channel, port } = await openTelegram();
    port.files.set('a.bin', png);
    const draft = await channel.drafts.show({ surface: surfaceAt(dm), runId: 'run_1', text: 'Her' }, NO_LIMIT);
    const replaces = draft.outcome === 'done' ? draft.value : null;
    await channel.send(partAt(dm, 'Here', { attachments: [file('a.bin', 'x/y')], replaces }), NO_LIMIT);
    expect(telegram.messages(dm)).toMatchObject([
      { text: 'Here', edits: 1 },
      { text: '', files: [{ name: 'a.bin' }] },
    ]);
  });
});

describe('an answer that Telegram does not take', () => {
  it.each([
    [
      { status: 429, retryAfter: 3 },
      { outcome: 'retry', afterMs: 3_000 },
    ],
    [{ status: 500 }, { outcome: 'retry', mayHaveArrived: true }],
    ['bad-gateway', { outcome: 'retry', mayHaveArrived: true }],
    ['cut', { outcome: 'retry', mayHaveArrived: true }],
    ['answer-lost', { outcome: 'retry', mayHaveArrived: true }],
    [
      { status: 403, description: 'Forbidden: bot was blocked by the user' },
      { outcome: 'failed', reason: 'bot was blocked by the user' },
    ],
    [
      { status: 400, description: 'Bad Request: chat not found' },
      { outcome: 'failed', reason: 'chat not found' },
    ],
  ] as const)('%j', async (fault, outcome) => {
    const { telegram, dm, channel } = await openTelegram();
    telegram.fault('sendMessage', fault);
    expect(await channel.send(partAt(dm, 'one'), NO_LIMIT)).toMatchObject(outcome);
    expect(await channel.send(partAt(dm, 'one', { attempt: 2 }), NO_LIMIT)).toMatchObject({ outcome: 'sent' });
    expect(telegram.shown(dm)).toEqual(fault === 'answer-lost' ? ['one', 'one'] : ['one']);
  });

  it('did not leave this machine when Telegram cannot be reached', async () => {
    const { telegram, dm, channel, becomes } = await openTelegram();
    await telegram.stop();
    await becomes('reconnecting');
    const outcome = await channel.send(partAt(dm, 'one'), NO_LIMIT);
    expect(outcome).toMatchObject({ outcome: 'retry', reason: 'Telegram could not be reached (ECONNREFUSED)' });
    expect(outcome).not.toHaveProperty('mayHaveArrived');
  });

  it('a wait that Telegram asks for is a state, and is over by itself', async () => {
    const { telegram, dm, channel, status, becomes } = await openTelegram();
    telegram.fault('sendMessage', { status: 429, retryAfter: 1 });
    await channel.send(partAt(dm, 'one'), NO_LIMIT);
    expect(status()).toMatchObject({ state: 'limited', detail: expect.stringContaining('write less until') });
    const draft = { surface: surfaceAt(dm), runId: 'run_1', text: 'x' };
    expect(await channel.drafts.show(draft, NO_LIMIT)).toMatchObject({ outcome: 'retry' });
    await becomes('connected');
    expect(await channel.drafts.show(draft, NO_LIMIT)).toMatchObject({ outcome: 'done' });
  });

  it('ends when its time is over', async () => {
    const { telegram, dm, channel } = await openTelegram();
    telegram.fault('sendMessage', 'hang');
    const limit = new AbortController();
    const sending = channel.send(partAt(dm, 'one'), limit.signal);
    await telegram.until(() => telegram.callsOf('sendMessage').length === 1, 'the request is there');
    limit.abort();
    expect(await sending).toMatchObject({ outcome: 'retry', mayHaveArrived: true });
  });
});

describe('actions', () => {
  it('a text below a file can be edited', async () => {
    const { telegram, dm, channel, port } = await openTelegram();
    port.files.set('a', Buffer.from('x'));
    const attachments = [{ hash: 'a', name: 'a.bin', mime: 'x/y', size: 1 }];
    await channel.send(partAt(dm, 'old', { attachments }), NO_LIMIT);
    const messageId = String(telegram.messages(dm)[0]?.messageId);
    const edit = { surface: surfaceAt(dm), messageId, text: '**new**' };
    for (const _ of ['once', 'again'])
      expect(await channel.edits.edit(edit, NO_LIMIT)).toMatchObject({ outcome: 'done' });
    expect(telegram.shown(dm)).toEqual(['new']);
  });

  it('a reaction that Telegram does not have is refused in its words', async () => {
    const { telegram, dm, channel } = await openTelegram();
    const { messageId } = telegram.says(dm, 'x');
    const reaction = { surface: surfaceAt(dm), messageId: String(messageId) };
    expect(await channel.reactions.react({ ...reaction, emoji: '🦥' }, NO_LIMIT)).toEqual({
      outcome: 'failed',
      reason: 'REACTION_INVALID',
    });
    expect(await channel.reactions.react({ ...reaction, emoji: '❤️' }, NO_LIMIT)).toMatchObject({ outcome: 'done' });
    await channel.reactions.react({ ...reaction, emoji: '👍', isRemoved: true }, NO_LIMIT);
    expect(telegram.reactionsTo(dm, messageId)).toEqual(['❤']);
  });

  it('that the operator has switched off are refused', async () => {
    const allows = { reactions: false, editMessage: false, deleteMessage: false, createForumTopic: false };
    const { dm, channel } = await openTelegram({ allows });
    const message = { surface: surfaceAt(dm), messageId: '5' };
    const outcomes = await Promise.all([
      channel.reactions.react({ ...message, emoji: '👍' }, NO_LIMIT),
      channel.edits.edit({ ...message, text: 'x' }, NO_LIMIT),
      channel.deletes.delete(message, NO_LIMIT),
      channel.threads.create({ surface: message.surface, name: 'x', key: 'k' }, NO_LIMIT),
    ]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        outcome: 'failed',
        reason: expect.stringContaining('channels.telegram.actions.'),
      });
  });

  it('a topic in a group without topics is refused in the words of Telegram', async () => {
    const { telegram, bot, channel } = await openTelegram();
    const surface = surfaceAt({ chat: telegram.addGroup('Ops', [bot]) });
    expect(await channel.threads.create({ surface, name: 'A matter', key: 'k' }, NO_LIMIT)).toEqual({
      outcome: 'failed',
      reason: 'the chat is not a forum',
    });
  });

  it('the directory has those who have written, also after a restart', async () => {
    const rig = await openTelegram();
    const { telegram, bot, ann, dm } = rig;
    await telegram.says(dm, 'x').confirmed();
    await telegram.says({ chat: telegram.addGroup('Ops team', [bot]), sender: ann }, 'x').confirmed();
    const channel = await rig.restart();
    await rig.becomes('connected');
    const found = await channel.directory.listPeers({ accountId: 'default', query: 'ops', limit: 5 }, NO_LIMIT);
    expect(found).toMatchObject({ outcome: 'done', value: [{ name: 'Ops team', peer: { kind: 'group' } }] });
  });
});
