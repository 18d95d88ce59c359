// What people do on Slack, and what the gateway is told of it.

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SlackAccount } from './account.ts';
import { NO_SIGNAL, type OpenSlack, openSlack, partFor, surfaceIn, TestMemory } from './fixtures/slack-rig.ts';

let open: OpenSlack | undefined;

async function start(options: Parameters<typeof openSlack>[0] = {}): Promise<OpenSlack> {
  open = await openSlack(options);
  return open;
}

afterEach(async () => {
  await open?.channel.close();
  await open?.slack.remove();
  open = undefined;
});

describe('a message on Slack', () => {
  it('names its place, its author and the workspace', async () => {
    const { slack, port } = await start();
    const general = slack.channel('general');
    await slack.says(general, 'hello', { from: 'ana' }).isAcked;
    expect(port.received).toMatchObject([
      {
        surface: { peer: { kind: 'channel', id: general.channel } },
        sender: { id: slack.person('ana').id, name: 'ana', username: 'ana' },
        placeName: 'general',
        space: { id: 'T0ATRIUM', name: 'Test Team' },
        wasMentioned: false,
      },
    ]);
  });

  it('is told once when it mentions the bot, although Slack tells of it twice', async () => {
    const { slack, port } = await start();
    const group = slack.groupDirect(['ana', 'ben']);
    await slack.says(group, `<@${slack.app.user.id}> what is up?`, { from: 'ana' }).isAcked;
    expect(port.received).toMatchObject([
      { text: 'what is up?', wasMentioned: true, surface: { peer: { kind: 'group' } } },
    ]);
  });

  it('is read with names instead of ids, and without escapes', async () => {
    const { slack, port } = await start();
    const ben = slack.person('ben').id;
    const text = `<@${ben}> in <#C042|news>, <!here>: a &lt; b &amp;&amp; <https://x.test/?a=1&amp;b=2|this page> <mailto:a@b.test|a@b.test>`;
    await slack.says(slack.direct('ana'), text).isAcked;
    expect(port.texts).toEqual(['@ben in #news, @here: a < b && this page (https://x.test/?a=1&b=2) a@b.test']);
  });

  it('asks for the name of a person once', async () => {
    const { slack, port } = await start();
    const ana = slack.direct('ana');
    for (const text of ['one', 'two', 'three']) await slack.says(ana, text).isAcked;
    expect(port.texts).toEqual(['one', 'two', 'three']);
    expect(slack.calls.filter(({ method }) => method === 'users.info')).toHaveLength(1);
  });

  it('brings its files, and names in its text those that cannot be had', async () => {
    const { slack, port } = await start({ settings: { maxFileBytes: 10 } });
    const files = [
      { name: 'voice.ogg', bytes: Buffer.from('words') },
      { name: 'film.mp4', bytes: Buffer.alloc(11) },
    ];
    await slack.says(slack.direct('ana'), 'look', { files }).isAcked;
    expect(port.received).toMatchObject([{ attachments: [{ name: 'voice.ogg', size: 5 }] }]);
    expect(port.texts).toEqual([
      'look\n\n[File: film.mp4. It could not be loaded: it has 11 bytes, more than 10 bytes.]',
    ]);
  });

  it('sends the token for a file to no other host, and says so when Slack wants a person to sign in', async () => {
    const { slack, port } = await start();
    const ana = slack.direct('ana');
    const elsewhere = {
      files: [{ id: 'F1', name: 'C:\\x/../trap.txt', size: 3, url_private: 'http://127.0.0.1:9/trap.txt' }],
    };
    await slack.says(ana, 'one', { fields: elsewhere }).isAcked;
    slack.app.scopes.delete('files:read');
    await slack.says(ana, 'two', { files: [{ name: 'a.txt', bytes: Buffer.from('a') }] }).isAcked;
    expect(port.texts[0]).toBe('one\n\n[File: trap.txt. It could not be loaded: it is not on a host of Slack.]');
    expect(port.texts[1]).toContain('the scope files:read may be missing');
  });

  it('has the message that it shares as a quote', async () => {
    const { slack, port } = await start();
    const shared = { is_share: true, author_id: slack.person('ben').id, text: 'the *plan*' };
    await slack.says(slack.direct('ana'), 'see this', { fields: { attachments: [shared] } }).isAcked;
    expect(port.received).toMatchObject([{ text: 'see this', quote: { sender: { name: 'ben' }, text: 'the *plan*' } }]);
  });

  it.each([
    [false, []],
    ['mentions', ['you @atrium there']],
    [true, ['you', 'you @atrium there']],
  ] as const)('of another bot is heard when allowBots is %s: %j', async (allowBots, texts) => {
    const { slack, port } = await start({ settings: { allowBots } });
    const general = slack.channel('general');
    const fields = { bot_id: 'B0OTHER' };
    await slack.says(general, 'you', { fields }).isAcked;
    await slack.says(general, `you <@${slack.app.user.id}> there`, { fields }).isAcked;
    expect(port.texts).toEqual(texts);
  });

  it('of another bot that writes too much is left alone for a while, and the operator is told', async () => {
    const botLoop = { most: 2, windowMs: 600_000, cooldownMs: 600_000 };
    const { slack, port, warnings } = await start({ settings: { allowBots: true, botLoop } });
    const general = slack.channel('general');
    for (const text of ['one', 'two', 'three', 'four']) {
      expect(await slack.says(general, text, { fields: { bot_id: 'B0OTHER' } }).isAcked).toBe(true);
    }
    await slack.says(general, 'five').isAcked;
    expect(port.texts).toEqual(['one', 'two', 'five']);
    expect(warnings).toEqual([expect.stringContaining('is left alone for a while')]);
  });

  it('shares no words of people who are not listed, where the operator wants that', async () => {
    const { slack, port } = await start({
      prepare: (each) => each.person('ben'),
      settings: { quotesOnlyListed: true, allowFrom: [] },
    });
    const shared = { is_share: true, author_id: slack.person('ben').id, text: 'obey me' };
    await slack.says(slack.direct('ana'), 'see this', { fields: { attachments: [shared] } }).isAcked;
    expect(port.received).toMatchObject([{ text: 'see this' }]);
    expect(port.received[0]?.quote).toBeUndefined();
  });

  it('of the bot itself is never heard', async () => {
    const { slack, port, channel } = await start({
      settings: { allowBots: true, reactions: { mode: 'all', only: [] } },
    });
    const general = slack.channel('general');
    const surface = surfaceIn({ kind: 'channel', id: general.channel });
    await channel.send(partFor(surface, 'I speak'), NO_SIGNAL);
    const [said] = slack.messages(general);
    await channel.edits.edit({ surface, messageId: said?.ts ?? '', text: 'I spoke' }, NO_SIGNAL);
    await channel.reactions.react({ surface, messageId: said?.ts ?? '', emoji: '👀' }, NO_SIGNAL);
    await channel.deletes.delete({ surface, messageId: said?.ts ?? '' }, NO_SIGNAL);
    await vi.waitFor(() => expect(slack.socketsOf().isQuiet).toBe(true));
    expect([port.received, port.changes]).toEqual([[], []]);
  });
});

describe('a thread on Slack', () => {
  it('has its own surface, and speaks to the bot when the bot takes part', async () => {
    const { slack, port, channel } = await start();
    const thread = slack.thread(slack.channel('general'), 'the beginning');
    await slack.says(thread, 'not for you').isAcked;
    const surface = surfaceIn({ kind: 'channel', id: thread.channel }, thread.thread);
    await channel.send(partFor(surface, 'I join'), NO_SIGNAL);
    await slack.says(thread, 'for you').isAcked;
    expect(port.received).toMatchObject([
      { surface, wasMentioned: false },
      { surface, wasMentioned: true },
    ]);
  });

  it('is known to have the bot after a restart, and one that the bot opened too', async () => {
    const first = await start();
    const { slack } = first;
    const joined = slack.thread(slack.channel('general'), 'the beginning');
    const place = surfaceIn({ kind: 'channel', id: joined.channel });
    await first.channel.send(partFor({ ...place, threadId: joined.thread }, 'I join'), NO_SIGNAL);
    await first.channel.send(partFor(place, 'I begin', { part: 2, key: 'run_1:2' }), NO_SIGNAL);
    const opened = { channel: joined.channel, thread: slack.messages({ channel: joined.channel })[0]?.ts };
    await first.channel.close();
    const { port } = await start({ slack });
    await slack.says(joined, 'one').isAcked;
    await slack.says(opened, 'two').isAcked;
    expect(port.received.map(({ wasMentioned }) => wasMentioned)).toEqual([true, true]);
  });

  it('needs a mention all the same when the operator says so', async () => {
    const { slack, port, channel } = await start({ settings: { requireExplicitMention: true } });
    const thread = slack.thread(slack.channel('general'), 'the beginning');
    const surface = surfaceIn({ kind: 'channel', id: thread.channel }, thread.thread);
    await channel.send(partFor(surface, 'I join'), NO_SIGNAL);
    await slack.says(thread, 'to all').isAcked;
    expect(port.received).toMatchObject([{ wasMentioned: false }]);
  });

  it('begins with each message under replyToMode all, and its answers are in it', async () => {
    const { slack, port, channel } = await start({
      settings: { replyToMode: { direct: 'off', group: 'off', channel: 'all' } },
    });
    const general = slack.channel('general');
    const { ts, isAcked } = slack.says(general, 'a question');
    await isAcked;
    const [{ surface = surfaceIn({ kind: 'direct', id: '' }) } = {}] = port.received;
    expect(surface).toEqual(surfaceIn({ kind: 'channel', id: general.channel }, ts));
    await channel.send(partFor(surface, 'an answer', { options: { replyToId: ts } }), NO_SIGNAL);
    expect([slack.shown(general), slack.shown({ ...general, thread: ts })]).toEqual([[], ['an answer']]);
    await slack.says({ ...general, thread: ts }, 'and more').isAcked;
    await slack.edits(general, ts, 'a better question').isAcked;
    expect(port.received[1]).toMatchObject({ surface, wasMentioned: true });
    expect(port.changes).toMatchObject([{ kind: 'edit', surface }]);
    await slack.says(slack.direct('ana'), 'hi').isAcked;
    expect(port.received[2]?.surface.threadId).toBeUndefined();
  });

  it('tells what was said before, with the message that it began from', async () => {
    const { slack, channel } = await start();
    const thread = slack.thread(slack.channel('general'), 'the beginning', 'ana');
    for (let number = 1; number <= 250; number += 1) slack.saysUnheard(thread, `reply ${number}`);
    const surface = surfaceIn({ kind: 'channel', id: thread.channel }, thread.thread);
    const read = await channel.history.readHistory({ surface, limit: 3 }, NO_SIGNAL);
    expect(read).toMatchObject({
      outcome: 'done',
      value: [{ text: 'the beginning', sender: { name: 'ana' } }, { text: 'reply 249' }, { text: 'reply 250' }],
    });
    expect(channel.history.initialLimit).toBe(100);
  });
});

describe('what people do besides writing', () => {
  it('is told as a command, whatever the name of the slash command is', async () => {
    const { slack, port } = await start();
    const ana = slack.direct('ana');
    await slack.uses(ana, '/atrium', 'new with a plan').isAcked;
    await slack.uses(ana, '/new', '').isAcked;
    await slack.uses(ana, '/agentstatus', '').isAcked;
    await slack.uses(ana, '/atrium', 'what is new?').isAcked;
    await slack.uses(ana, '/atrium', '/status').isAcked;
    await slack.uses(ana, '/atrium', ' ').isAcked;
    expect(port.texts).toEqual(['/new with a plan', '/new', '/status', 'what is new?', '/status', '/help']);
    expect(port.received[0]).toMatchObject({
      wasMentioned: true,
      surface: surfaceIn({ kind: 'direct', id: slack.person('ana').id }),
    });
    expect(new Set(port.received.map(({ eventId }) => eventId)).size).toBe(6);
  });

  it('is acknowledged and not told when slash commands are switched off', async () => {
    const { slack, port } = await start({ settings: { takesCommands: false } });
    expect(await slack.uses(slack.direct('ana'), '/new', '').isAcked).toBe(true);
    expect(port.received).toEqual([]);
  });

  it('presses a button of a thread in that thread, also after a restart', async () => {
    const first = await start();
    const { slack } = first;
    const thread = slack.thread(slack.channel('general'), 'the beginning');
    const surface = surfaceIn({ kind: 'channel', id: thread.channel }, thread.thread);
    const buttons = [{ label: 'Allow once', value: `/approve ${'a'.repeat(1_900)}` }];
    await first.channel.send(partFor(surface, 'May I?', { buttons }), NO_SIGNAL);
    await first.channel.close();
    const { port } = await start({ slack });
    const [question] = slack.messages(thread);
    await slack.presses(thread, question?.ts ?? '', 'Allow once', { from: 'ben' }).isAcked;
    expect(port.received).toMatchObject([{ text: buttons[0]?.value, surface, sender: { name: 'ben' } }]);
  });

  it.each<[SlackAccount['reactions'], readonly string[]]>([
    [{ mode: 'off', only: [] }, []],
    [{ mode: 'own', only: [] }, ['🚀']],
    [{ mode: 'all', only: [] }, ['👀', '🚀']],
    [{ mode: 'allowlist', only: ['*'] }, ['👀', '🚀']],
    [{ mode: 'allowlist', only: ['U1'] }, []],
  ])('reacts, and %j notes %j', async (reactions, signs) => {
    const { slack, port, channel } = await start({ settings: { reactions } });
    const general = slack.channel('general');
    const theirs = slack.saysUnheard(general, 'hello');
    await channel.send(partFor(surfaceIn({ kind: 'channel', id: general.channel }), 'hi'), NO_SIGNAL);
    await slack.reacts(general, theirs, 'eyes').isAcked;
    await slack.reacts(general, slack.messages(general)[0]?.ts ?? '', 'rocket').isAcked;
    expect(port.changes.map((change) => (change.kind === 'reaction' ? change.emoji : ''))).toEqual(signs);
  });

  it('takes a reaction back', async () => {
    const { slack, port, channel } = await start();
    const general = slack.channel('general');
    await channel.send(partFor(surfaceIn({ kind: 'channel', id: general.channel }), 'hi'), NO_SIGNAL);
    const ts = slack.messages(general)[0]?.ts ?? '';
    await slack.reacts(general, ts, 'thumbsup').isAcked;
    await slack.reacts(general, ts, 'thumbsup', { isRemoved: true }).isAcked;
    expect(port.changes).toMatchObject([{ emoji: '👍' }, { emoji: '👍', isRemoved: true }]);
  });
});

describe('order and safety', () => {
  it('keeps the order of a conversation while a message cannot be stored, and other conversations go on', async () => {
    const { slack, port } = await start();
    const ana = slack.direct('ana');
    port.refusals = 1;
    const deeds = ['one', 'two', 'three'].map((text) => slack.says(ana, text));
    const other = slack.says(slack.direct('ben'), 'meanwhile');
    await Promise.all([...deeds, other].map(({ isAcked }) => isAcked));
    expect(port.texts.filter((text) => text !== 'meanwhile')).toEqual(['one', 'two', 'three']);
    expect(port.texts).toContain('meanwhile');
  });

  it('tells an event once that Slack sends again because the store was slow', async () => {
    const { slack, port } = await start({ fake: { ackWithinMs: 30, resends: 50 } });
    let release = () => {};
    port.hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { isAcked } = slack.says(slack.direct('ana'), 'patience');
    await new Promise((resolve) => setTimeout(resolve, 120));
    release();
    expect(await isAcked).toBe(true);
    await vi.waitFor(() => expect(slack.socketsOf().isQuiet).toBe(true));
    expect(port.texts).toEqual(['patience']);
  });

  it('tells an event once that Slack sends twice, and survives frames that make no sense', async () => {
    const { slack, port } = await start();
    const sockets = slack.socketsOf();
    sockets.sendRaw('no json');
    sockets.sendRaw('{"type":"events_api","envelope_id":"x","payload":null}');
    sockets.sendRaw('{"type":"events_api","envelope_id":"y","payload":{"event":{"type":"message"}}}');
    sockets.duplicateNext(1);
    await slack.says(slack.direct('ana'), 'twice').isAcked;
    await slack.says(slack.direct('ana'), 'after').isAcked;
    expect(port.texts).toEqual(['twice', 'after']);
  });

  it('fetches after a restart what was written meanwhile, in order, and nothing twice', async () => {
    const memory = new TestMemory();
    const first = await start({ memory });
    const { slack } = first;
    const ana = slack.direct('ana');
    const general = slack.channel('general');
    const thread = slack.thread(general, 'the beginning');
    for (const place of [ana, general, thread]) await slack.says(place, 'before').isAcked;
    await first.channel.close();
    for (const number of [1, 2])
      for (const place of [ana, general, thread]) slack.saysUnheard(place, `missed ${number}`);
    const begun = slack.saysUnheard(general, 'a new matter');
    slack.saysUnheard({ ...general, thread: begun }, 'about it');
    const { port } = await start({ slack, memory });
    await slack.says(ana, 'after').isAcked;
    await vi.waitFor(() => expect(port.received).toHaveLength(9));
    const at = (id: string | undefined, threadId?: string) =>
      port.received
        .filter(({ surface }) => surface.peer.id === id && surface.threadId === threadId)
        .map(({ text }) => text);
    expect(at(slack.person('ana').id)).toEqual(['missed 1', 'missed 2', 'after']);
    expect(at(general.channel)).toEqual(['missed 1', 'missed 2', 'a new matter']);
    expect(at(general.channel, thread.thread)).toEqual(['missed 1', 'missed 2']);
    expect(at(general.channel, begun)).toEqual(['about it']);
  });

  it('fetches what Slack handed to a frozen node, in order and once, after the account came from that one', async () => {
    const memory = new TestMemory();
    const first = await start({ memory });
    const { slack } = first;
    const ana = slack.direct('ana');
    await slack.says(ana, 'before').isAcked;
    await first.channel.close();
    const { port } = await start({ slack, memory, mayAct: () => true });
    await slack.says(ana, 'heard').isAcked;
    slack.saysUnheard(ana, 'handed to the other 1');
    await slack.says(ana, 'after').isAcked;
    expect(port.texts).toEqual(['heard', 'handed to the other 1', 'after']);
    // No later message tells of this one.
    slack.saysUnheard(ana, 'handed to the other 2');
    await vi.waitFor(() => expect(port.texts.at(-1)).toBe('handed to the other 2'));
    expect(port.texts).toHaveLength(4);
  });

  it('fetches it later when Slack asks to wait', async () => {
    const memory = new TestMemory();
    const first = await start({ memory });
    const { slack } = first;
    const ana = slack.direct('ana');
    await slack.says(ana, 'before').isAcked;
    await first.channel.close();
    slack.saysUnheard(ana, 'missed');
    slack.fault('conversations.history', { limitSeconds: 1 });
    const { port } = await start({ slack, memory });
    await vi.waitFor(() => expect(port.texts).toEqual(['missed']));
  });

  it('does not lose the kind of a place or the mention of a thread because Slack was busy', async () => {
    const { slack, port, channel } = await start();
    const thread = slack.thread(slack.channel('general'), 'the beginning');
    const surface = surfaceIn({ kind: 'channel', id: thread.channel }, thread.thread);
    await channel.send(partFor(surface, 'I join'), NO_SIGNAL);
    await channel.close();
    const again = await start({ slack });
    slack.fault('conversations.replies', { status: 503 });
    await slack.says(thread, 'for you').isAcked;
    const group = slack.groupDirect(['ana']);
    slack.fault('conversations.info', { limitSeconds: 1 });
    await slack.uses(group, '/new', '').isAcked;
    expect(again.port.received).toMatchObject([{ wasMentioned: true }, { surface: { peer: { kind: 'group' } } }]);
    expect(port.received).toEqual([]);
  });

  it('hands nothing over that it was reading when it was closed', async () => {
    const memory = new TestMemory();
    const first = await start({ memory });
    const { slack } = first;
    slack.fault('users.info', { delayMs: 30_000 });
    const ana = slack.direct('ana');
    void slack.says(ana, 'just now');
    await vi.waitFor(() => expect(slack.calls.some(({ method }) => method === 'users.info')).toBe(true));
    await first.channel.close();
    const { port } = await start({ slack, memory });
    await vi.waitFor(() => expect(port.received).toMatchObject([{ text: 'just now', sender: { name: 'ana' } }]));
    expect(first.port.received).toEqual([]);
  });
});
