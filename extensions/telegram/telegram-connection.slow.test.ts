// How the channel comes to its updates, and what it does when Telegram does not answer: every state that an operator can
// see, every fault, and a restart in the middle. Nothing is lost, and nothing is handed over twice.

import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TelegramServer } from '../../src/testkit/telegram/telegram-server.ts';
import {
  accountFor,
  COMMANDS,
  channelFor,
  KeptMemory,
  NO_LIMIT,
  openTelegram,
  partAt,
  QUICK_PACE,
  RecordingPort,
} from './fixtures/telegram-rig.ts';
import { telegram as extension } from './index.ts';

describe('fetching updates', () => {
  it('moves the offset only behind what is stored, and nothing overtakes in a chat', async () => {
    const { telegram, port, dm, bot, ben } = await openTelegram();
    let refusals = 3;
    port.before = ({ surface }) => {
      if (surface.peer.id === '101' && refusals-- > 0) throw new Error('the store is full');
    };
    const events = ['one', 'two', 'three'].map((text) => telegram.says(dm, text));
    const other = telegram.says({ chat: telegram.directChat(bot, ben) }, 'other');
    await Promise.all([...events, other].map((event) => event.confirmed()));
    expect(port.texts().filter((text) => text !== 'other')).toEqual(['one', 'two', 'three']);
    expect(port.texts().filter((text) => text === 'other')).toHaveLength(1);
  });

  it('gets what was written while it was away', async () => {
    const rig = await openTelegram();
    const { telegram, port, dm } = rig;
    await rig.channel.close();
    const events = ['one', 'two'].map((text) => telegram.says(dm, text));
    await rig.restart();
    await Promise.all(events.map((event) => event.confirmed()));
    expect(port.texts()).toEqual(['one', 'two']);
  });

  it('a restart between the commit and the confirmation loses nothing, and the gateway knows the second', async () => {
    const rig = await openTelegram();
    const { telegram, port, dm } = rig;
    // The process dies after the commit: the next fetch, which would confirm it, never comes.
    let closing: Promise<unknown> = Promise.resolve();
    port.before = () => {
      closing = rig.channel.close();
    };
    const event = telegram.says(dm, 'one');
    await telegram.until(() => port.received.length === 1, 'it is stored');
    await closing;
    port.before = () => {};
    await rig.restart();
    telegram.says(dm, 'two');
    await event.confirmed();
    await telegram.until(() => port.received.length === 2, 'the next one is stored');
    expect(port.texts()).toEqual(['one', 'two']);
  });

  it('repeated and reordered updates are one event each, in order', async () => {
    const { telegram, port, dm, bot } = await openTelegram();
    bot.reorders = true;
    const first = telegram.says(dm, 'one');
    await first.confirmed();
    telegram.repeats(first);
    telegram.repeats(first);
    const more = ['two', 'three', 'four'].map((text) => telegram.says(dm, text));
    await Promise.all(more.map((event) => event.confirmed()));
    expect(port.texts()).toEqual(['one', 'two', 'three', 'four']);
  });

  it('an update that cannot be read does not stop the others', async () => {
    const { telegram, port, dm, bot, warnings } = await openTelegram();
    const broken = telegram.says(dm, 'x', { fields: { chat: { id: bot.id }, photo: 5 } });
    await telegram.says(dm, 'good').confirmed();
    await broken.confirmed();
    expect(port.texts()).toEqual(['good']);
    expect(warnings.join()).toMatch(/could not be read and is left out/);
  });
});

describe('the state of an account', () => {
  it('is connected with the name of the bot, and the commands are in its menu', async () => {
    const customCommands = [
      { command: 'backup', description: 'Git backup' },
      { command: 'new', description: 'is taken' },
      { command: 'not valid', description: 'x' },
    ];
    const { telegram, bot, status } = await openTelegram({ customCommands });
    expect(status()).toMatchObject({ state: 'connected', name: '@helper1_bot' });
    await telegram.until(() => bot.commands.length > 0, 'the menu is set');
    expect(bot.commands.map(({ command }) => command)).toEqual([...COMMANDS.map(({ name }) => name), 'backup']);
  });

  it('without native commands only the own entries are in the menu', async () => {
    const { telegram } = await openTelegram({ showsCommands: false });
    await telegram.until(() => telegram.callsOf('setMyCommands').length > 0, 'the menu is set');
    expect(telegram.callsOf('setMyCommands')[0]?.payload.commands).toEqual([]);
  });

  it.each(['cut', 'bad-gateway', { status: 500 }] as const)('mends itself after %j', async (fault) => {
    const { telegram, port, dm, warnings, becomes } = await openTelegram({}, { isConnected: false });
    telegram.fault('getMe', fault, 3);
    telegram.fault('getUpdates', fault, 3);
    await becomes('connected');
    telegram.disconnect();
    await telegram.says(dm, 'still there?').confirmed();
    expect(port.texts()).toEqual(['still there?']);
    expect(warnings.length).toBeGreaterThan(0);
  });

  it('is reconnecting while Telegram is away, and says so once', async () => {
    const { telegram, port, dm, becomes, warnings } = await openTelegram();
    await telegram.stop();
    expect(await becomes('reconnecting')).toMatchObject({
      detail: expect.stringMatching(/The channel tries again\.$/),
    });
    await telegram.until(() => warnings.length > 0, 'it is told');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(warnings).toHaveLength(1);
    await telegram.start();
    await becomes('connected');
    await telegram.says(dm, 'back').confirmed();
    expect(port.texts()).toEqual(['back']);
  });

  it('is limited while Telegram asks to wait', async () => {
    const { telegram, becomes } = await openTelegram({}, { isConnected: false });
    telegram.fault('getUpdates', { status: 429, retryAfter: 1 });
    expect(await becomes('limited')).toMatchObject({ detail: 'Telegram asked to wait for 1 s.' });
    await becomes('connected');
  });

  it('has failed when the token is revoked, and Telegram is not asked any more', async () => {
    const { telegram, bot, dm, channel, becomes, warnings } = await openTelegram();
    bot.revoke();
    expect(await becomes('failed')).toMatchObject({
      detail: 'Telegram does not accept the token of this bot (Unauthorized).',
      nextStep: expect.stringContaining('channels.telegram.botToken'),
    });
    const calls = telegram.calls.length;
    expect(await channel.send(partAt(dm, 'x'), NO_LIMIT)).toMatchObject({ outcome: 'retry' });
    await new Promise((resolve) => setTimeout(resolve, 3 * QUICK_PACE.longestWaitMs));
    expect(telegram.calls.length).toBe(calls);
    expect([...warnings, JSON.stringify(channel.accounts.list())].join()).not.toContain(bot.token.split(':')[1]);
  });

  it('has failed when a send finds out that the token is revoked', async () => {
    const { telegram, dm, channel, becomes } = await openTelegram();
    telegram.fault('sendMessage', { status: 401, description: 'Unauthorized' });
    expect(await channel.send(partAt(dm, 'x'), NO_LIMIT)).toMatchObject({ outcome: 'retry' });
    await becomes('failed');
  });

  it('says that another program fetches, and goes on when it has stopped', async () => {
    const { telegram, becomes } = await openTelegram({}, { isConnected: false });
    telegram.fault('getUpdates', { status: 409, description: 'Conflict: terminated by other getUpdates request' }, 5);
    expect(await becomes('reconnecting')).toMatchObject({
      detail: 'Another program fetches the updates of this bot.',
      nextStep: expect.stringContaining('Stop the other program'),
    });
    await becomes('connected');
  });

  it('leaves the webhook of another program alone, and says what to do', async () => {
    const rig = await openTelegram();
    await rig.channel.close();
    rig.bot.setWebhook({ url: 'http://127.0.0.1:9/elsewhere', secret: '' });
    await rig.restart();
    expect(await rig.becomes('reconnecting')).toMatchObject({ nextStep: expect.stringContaining('deleteWebhook') });
    expect(rig.bot.webhook?.url).toBe('http://127.0.0.1:9/elsewhere');
    rig.bot.setWebhook(undefined);
    await rig.becomes('connected');
  });

  it('closes at once, also while it waits to try again', async () => {
    const { telegram, channel } = await openTelegram({}, { isConnected: false });
    telegram.fault('getMe', { status: 429, retryAfter: 3_600 });
    await telegram.until(() => telegram.callsOf('getMe').length > 0, 'it has asked');
    await channel.close();
    expect(channel.accounts.list()).toMatchObject([{ state: 'stopped' }]);
  });

  it('closes while the gateway is storing, and hands over nothing after that', async () => {
    const { telegram, port, dm, channel } = await openTelegram();
    let isReached = false;
    port.before = () => {
      isReached = true;
      return new Promise(() => {});
    };
    telegram.says(dm, 'one');
    telegram.says(dm, 'two');
    await telegram.until(() => isReached, 'it is being stored');
    await channel.close();
    port.before = () => {};
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(port.received).toEqual([]);
  });
});

describe('several accounts', () => {
  it('do not disturb each other', async () => {
    const telegram = await TelegramServer.start();
    const [good, bad] = [telegram.addBot(), telegram.addBot()];
    bad.revoke();
    const accounts = [
      accountFor(telegram, bad, { accountId: 'work', path: 'channels.telegram.accounts.work' }),
      accountFor(telegram, good, { accountId: 'home' }),
    ];
    const { channel } = channelFor(accounts);
    const port = new RecordingPort();
    onTestFinished(async () => {
      await channel.close();
      await telegram.stop();
    });
    await channel.open(port);
    const place = { chat: telegram.directChat(good, telegram.addPerson('Ann')) };
    await telegram.says(place, 'hello').confirmed();
    expect(port.received).toMatchObject([{ surface: { accountId: 'home' } }]);
    const surface = { ...port.received[0]?.surface, accountId: 'home' } as never;
    expect(await channel.send(partAt(place, 'hi', { surface }), NO_LIMIT)).toMatchObject({ outcome: 'sent' });
    await telegram.until(() => channel.accounts.list()[0]?.state === 'failed', 'the other one has failed');
    expect(channel.accounts.list()).toMatchObject([
      {
        accountId: 'work',
        state: 'failed',
        nextStep: expect.stringContaining('channels.telegram.accounts.work.botToken'),
      },
      { accountId: 'home', state: 'connected' },
    ]);
    expect(channel.drafts.modeOf?.(surface)).toBe('partial');
  });
});

describe('a webhook', () => {
  it('gets updates with the secret, and answers 200 after they are stored', async () => {
    const webhook = await freeWebhook();
    const { telegram, port, dm, bot, becomes } = await openTelegram({ webhook }, { isConnected: false });
    await becomes('connected');
    expect(bot.webhook).toEqual({ url: webhook.url, secret: webhook.secret });
    let refusals = 2;
    port.before = () => {
      if (refusals-- > 0) throw new Error('the store is full');
    };
    const first = telegram.says(dm, 'one');
    expect(await first.isTaken()).toBe(false);
    const second = telegram.says(dm, 'two');
    await Promise.all([first.confirmed(), second.confirmed()]);
    expect(port.texts()).toEqual(['one', 'two']);
  });

  it('takes nothing from others', async () => {
    const webhook = await freeWebhook();
    const { port, becomes } = await openTelegram({ webhook }, { isConnected: false });
    await becomes('connected');
    const body = JSON.stringify({
      update_id: 1,
      message: { message_id: 1, date: 1, chat: { id: 1, type: 'private' }, from: { id: 1 }, text: 'x' },
    });
    const ask = async (secret: string, given: object = { method: 'POST', body }, url = webhook.url) => {
      const headers = { 'x-telegram-bot-api-secret-token': secret };
      return (await fetch(url, { headers, ...given })).status;
    };
    expect(await ask('wrong')).toBe(401);
    expect(await ask('')).toBe(401);
    expect(await ask(webhook.secret, {})).toBe(405);
    expect(await ask(webhook.secret, { method: 'POST', body: 'no json' })).toBe(400);
    expect(await ask(webhook.secret, { method: 'POST', body: `"${'x'.repeat(2_000_000)}"` })).toBe(400);
    expect(await ask(webhook.secret, { method: 'POST', body }, webhook.url.replace('/hook', '/other'))).toBe(404);
    expect(port.received).toEqual([]);
    expect(await ask(webhook.secret)).toBe(200);
    expect(port.received).toHaveLength(1);
  });

  it('an earlier update that is not stored holds back the later ones of its chat', async () => {
    const webhook = await freeWebhook();
    const { port, becomes } = await openTelegram({ webhook }, { isConnected: false });
    await becomes('connected');
    const post = async (updateId: number, chat: number) => {
      const message = {
        message_id: updateId,
        date: 1,
        chat: { id: chat, type: 'private' },
        from: { id: chat, first_name: 'Ann' },
        text: `${updateId}`,
      };
      const headers = { 'x-telegram-bot-api-secret-token': webhook.secret };
      const body = JSON.stringify({ update_id: updateId, message });
      return (await fetch(webhook.url, { method: 'POST', headers, body })).status;
    };
    port.before = () => {
      throw new Error('the store is full');
    };
    expect(await post(1, 5)).toBe(503);
    port.before = () => {};
    expect(await post(2, 5)).toBe(503);
    expect(await post(3, 6)).toBe(200);
    expect(await post(1, 5)).toBe(200);
    expect(await post(2, 5)).toBe(200);
    expect(port.texts()).toEqual(['3', '1', '2']);
  });

  it('that Telegram cannot reach is a state, and so is an address that is taken', async () => {
    const webhook = await freeWebhook();
    const rig = await openTelegram({ webhook: { ...webhook, url: 'http://127.0.0.1:9/hook' } }, { isConnected: false });
    await rig.becomes('connected');
    rig.telegram.says(rig.dm, 'x');
    expect(await rig.becomes('reconnecting')).toMatchObject({
      detail: 'Telegram cannot deliver to the webhook: Connection refused.',
      nextStep: expect.stringContaining(`127.0.0.1:${webhook.port}`),
    });
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const second = await openTelegram({ webhook: { ...webhook, port } }, { isConnected: false });
    expect(await second.becomes('reconnecting')).toMatchObject({
      detail: expect.stringContaining('EADDRINUSE'),
      nextStep: expect.stringContaining('channels.telegram.webhookPort'),
    });
  });

  it('is removed when the operator goes back to fetching', async () => {
    const telegram = await TelegramServer.start();
    const bot = telegram.addBot();
    const webhook = await freeWebhook();
    const port = new RecordingPort();
    const memory = new KeptMemory();
    const open = async (settings: object) => {
      const { channel } = channelFor([accountFor(telegram, bot, settings)], { memory });
      await channel.open(port);
      await telegram.until(() => channel.accounts.list()[0]?.state === 'connected', 'it is connected');
      return channel;
    };
    const first = await open({ webhook });
    await first.close();
    expect(bot.webhook?.url).toBe(webhook.url);
    const second = await open({});
    onTestFinished(async () => {
      await second.close();
      await telegram.stop();
    });
    expect(bot.webhook).toBeUndefined();
    await telegram.says({ chat: telegram.directChat(bot, telegram.addPerson('Ann')) }, 'hello').confirmed();
    expect(port.texts()).toEqual(['hello']);
  });
});

describe('trying an account', () => {
  it('says who the bot is, and what its operator should know', async () => {
    const { telegram, bot } = await openTelegram();
    const account = accountFor(telegram, bot);
    expect(await extension.check(account, NO_LIMIT)).toEqual({ outcome: 'ok', name: '@helper1_bot', notes: [] });
    bot.setWebhook({ url: 'https://elsewhere.example/x', secret: '' });
    expect(await extension.check(account, NO_LIMIT)).toMatchObject({ notes: [expect.stringContaining('webhook')] });
    bot.revoke();
    expect(await extension.check(account, NO_LIMIT)).toMatchObject({ outcome: 'refused' });
    await telegram.stop();
    expect(await extension.check(account, NO_LIMIT)).toMatchObject({ outcome: 'unreachable' });
  });
});

/** A webhook on a port that is free now. */
async function freeWebhook() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${port}/hook`, secret: 'a-Secret_1', host: '127.0.0.1', port, path: '/hook' };
}
