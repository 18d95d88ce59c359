// `atrium channels` against a Telegram and a Slack on this machine.

import { describe, expect, it, onTestFinished } from 'vitest';
import type { FakePlatform } from '../testkit/fake-platform.ts';
import { FAKE_PLATFORMS } from '../testkit/fake-platforms.ts';
import { TelegramServer } from '../testkit/telegram/telegram-server.ts';
import { trialSettings } from './channels-try.ts';
import { CliHome } from './fixtures/cli-home.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

async function opened(id: 'telegram' | 'slack'): Promise<FakePlatform> {
  const open = await FAKE_PLATFORMS[id]?.();
  if (!open) throw new Error(`There is no ${id}.`);
  const platform = await open(['Ada']);
  onTestFinished(() => platform.stop());
  return platform;
}

/** A home whose section of the platform has only the address of the fake. */
async function homeFor({ id, section }: FakePlatform, more: object = {}): Promise<CliHome> {
  const { apiRoot } = section;
  const config = `// mine\n${JSON.stringify({ channels: { [id]: { apiRoot, ...more } } }, null, 2)}\n`;
  const home = await CliHome.create({ 'openclaw.json': config });
  onTestFinished(() => home.remove());
  return home;
}

async function homeWith(files: Readonly<Record<string, string>>): Promise<CliHome> {
  const home = await CliHome.create(files);
  onTestFinished(() => home.remove());
  return home;
}

describe('atrium channels add', () => {
  it('asks for the token, tries it, writes it, and keeps the comments', async () => {
    const telegram = await opened('telegram');
    const home = await homeFor(telegram);
    const token = String(telegram.section.botToken);
    const { code, out, err } = await home.run(['channels', 'add', 'telegram'], { answers: [token] });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Telegram knows it as @atrium_bot.');
    expect(out).toContain('atrium pairing approve telegram CODE');
    expect(out + err).not.toContain(token);
    const text = await home.read('openclaw.json');
    expect(text).toMatch(/^\/\/ mine\n/);
    expect(text).toContain(`"botToken": ${JSON.stringify(token)}`);
    expect(await home.runJson(['channels', 'list'])).toMatchObject({
      accounts: [{ platform: 'telegram', account: 'default' }],
    });
    expect((await home.run(['channels', 'test', 'telegram'])).out).toContain('works: the bot is @atrium_bot.');
    const again = await home.run(['channels', 'add', 'telegram'], { answers: [token] });
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('atrium channels login telegram') });
  });

  it('asks for every token of the platform, for an account of its own', async () => {
    const slack = await opened('slack');
    const home = await homeFor(slack);
    const { botToken, appToken } = slack.section;
    const answers = [String(botToken), String(appToken)];
    const { code, err } = await home.run(['channels', 'add', 'slack', '--account', 'work'], { answers });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { channels } = JSON.parse((await home.read('openclaw.json')).replace('// mine\n', ''));
    expect(channels.slack.accounts.work).toEqual({ botToken, appToken, enabled: true });
  });

  it.each([
    ['nothing', [], 'it is missing. It is'],
    ['something else', ['hello'], 'it does not look like one'],
    ['a token that is revoked', ['123456:AAwrong-token_of-some-bot_0123456789'], 'The botToken cannot be used: '],
  ])('writes nothing when it gets %s', async (_, answers, problem) => {
    const telegram = await opened('telegram');
    const home = await homeFor(telegram);
    const before = await home.read('openclaw.json');
    const { code, err } = await home.run(['channels', 'add', 'telegram'], { answers });
    expect(code).toBe(2);
    expect(err).toContain(problem);
    expect(await home.read('openclaw.json')).toBe(before);
  });

  it('names the platforms when it is asked for another', async () => {
    const home = await CliHome.create({});
    onTestFinished(() => home.remove());
    const { code, err } = await home.run(['channels', 'add', 'signal']);
    expect(code).toBe(2);
    expect(err).toContain('There is no channel "signal". Atrium has discord, slack, telegram.');
  });
});

describe('atrium channels remove', () => {
  it('takes the account out of the file, or only switches it off', async () => {
    const telegram = await opened('telegram');
    const home = await homeFor(telegram, { botToken: telegram.section.botToken });
    expect((await home.run(['channels', 'remove', 'telegram', '--disable'])).code).toBe(0);
    expect(await home.read('openclaw.json')).toContain('"enabled": false');
    expect(await home.runJson(['channels', 'list'])).toMatchObject({
      accounts: [{ account: 'default', state: 'off' }],
    });
    expect((await home.run(['channels', 'test', 'telegram'])).out).toContain('works: the bot is @atrium_bot.');
    await home.run(['channels', 'login', 'telegram'], { answers: [String(telegram.section.botToken)] });
    expect((await home.run(['channels', 'remove', 'telegram'])).code).toBe(0);
    expect(await home.read('openclaw.json')).not.toContain('telegram');
  });

  const TOKEN = '123456:AAone-token_of-some-bot_0123456789';
  const OTHER = '654321:AAother-token_of-some-bot_012345678';

  it.each([
    [
      'openclaw.json',
      `{ channels: { telegram: {\n  // for all\n  dmPolicy: "open",\n  botToken: "${TOKEN}",\n  tokenFile: "t",\n  accounts: { work: { botToken: "${OTHER}" } },\n} } }\n`,
      `{ channels: { telegram: {\n  // for all\n  dmPolicy: "open",\n  accounts: { work: { botToken: "${OTHER}" } },\n} } }\n`,
    ],
    [
      'openclaw.yaml',
      `channels:\n  telegram:\n    # for all\n    dmPolicy: open\n    botToken: "${TOKEN}"\n    tokenFile: t\n    accounts:\n      work:\n        botToken: "${OTHER}"\n`,
      `channels:\n  telegram:\n    # for all\n    dmPolicy: open\n    accounts:\n      work:\n        botToken: "${OTHER}"\n`,
    ],
  ])('of the default account in %s leaves the other accounts and what is for all', async (file, before, after) => {
    const home = await homeWith({ [file]: before });
    const { code, out, err } = await home.run(['channels', 'remove', 'telegram']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Telegram (default) is removed.');
    expect(await home.read(file)).toBe(after);
    expect(await home.runJson(['channels', 'list'])).toMatchObject({ accounts: [{ account: 'work', state: 'on' }] });
    await home.run(['channels', 'remove', 'telegram', '--account', 'work']);
    expect(await home.read(file)).not.toContain('telegram');
  });

  it('switches off the default account alone', async () => {
    const accounts = { work: { botToken: OTHER } };
    const config = { channels: { telegram: { botToken: TOKEN, accounts } } };
    const home = await homeWith({ 'openclaw.json': JSON.stringify(config) });
    const list = () => home.runJson(['channels', 'list']);
    expect((await home.run(['channels', 'remove', 'telegram', '--disable'])).code).toBe(0);
    const states = [
      { account: 'work', state: 'on' },
      { account: 'default', state: 'off' },
    ];
    expect(await list()).toMatchObject({ accounts: states });
    expect((await home.run(['channels', 'remove', 'telegram'])).code).toBe(0);
    expect(await list()).toMatchObject({ accounts: [{ account: 'work', state: 'on' }] });
  });

  it('says so when a variable still gives the account its token', async () => {
    const accounts = { work: { botToken: OTHER } };
    const home = await homeWith({ 'openclaw.json': JSON.stringify({ channels: { telegram: { accounts } } }) });
    const { code, err } = await home.run(['channels', 'remove', 'telegram'], { env: { TELEGRAM_BOT_TOKEN: TOKEN } });
    expect(code).toBe(1);
    expect(err).toContain('Telegram (default) is still there: a variable');
  });
});

describe('accounts that do not work', () => {
  const TOKEN = '123456:AAone-token_of-some-bot_0123456789';
  const section = {
    botToken: TOKEN,
    accounts: { twin: { botToken: TOKEN }, resting: { botToken: '1234:AAresting_token', enabled: false } },
  };

  it('are listed with their state, named by config check and doctor, and can be removed', async () => {
    const home = await homeWith({ 'openclaw.json': JSON.stringify({ channels: { telegram: section } }) });
    const { out } = await home.run(['channels', 'list']);
    expect(out).toMatch(/^telegram +default +on$/m);
    expect(out).toMatch(/^telegram +twin +not usable: channels\.telegram\.accounts\.twin has the same token/m);
    expect(out).toMatch(/^telegram +resting +off$/m);
    expect((await home.run(['config', 'check'])).out).toContain(
      'warning: channels.telegram.accounts.twin has the same',
    );
    const doctor = await home.run(['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.out).toMatch(/^channels +1 wrong +telegram \(twin\): not usable\n {2}wrong: channels\.telegram\./m);
    expect(doctor.out).toMatch(/^channels +ok +telegram \(resting\): off$/m);
    const test = await home.run(['channels', 'test', 'telegram', '--account', 'twin']);
    expect(test).toMatchObject({
      code: 1,
      out: expect.stringContaining('does not work: channels.telegram.accounts.twin'),
    });
    for (const account of ['twin', 'resting']) {
      expect((await home.run(['channels', 'remove', 'telegram', '--account', account])).code).toBe(0);
    }
    expect(await home.runJson(['channels', 'list'])).toMatchObject({ accounts: [{ account: 'default', state: 'on' }] });
  });

  it('are not made by login or add', async () => {
    const home = await homeWith({ 'openclaw.json': JSON.stringify({ channels: { telegram: section } }) });
    const before = await home.read('openclaw.json');
    const unknown = await home.run(['channels', 'login', 'telegram', '--account', 'nope'], { answers: [TOKEN] });
    expect(unknown.err).toContain('telegram has no account "nope". It has twin, resting, default.');
    for (const [token, owner] of [
      [TOKEN, 'default'],
      ['1234:AAresting_token', 'resting'],
    ] as const) {
      const argv = ['channels', 'add', 'telegram', '--account', 'new', '--no-check'];
      const { code, err } = await home.run(argv, { answers: [token] });
      expect(code).toBe(2);
      expect(err).toContain(`the account "${owner}" of Telegram has the same one`);
      expect(err).not.toContain(token);
    }
    expect(await home.read('openclaw.json')).toBe(before);
  });

  it('are connected again by login with the same token, and doctor and status say how they are', async () => {
    const server = await TelegramServer.start();
    onTestFinished(() => server.stop());
    const bot = server.addBot({ username: 'atrium_bot' });
    bot.isRevoked = true;
    const config = { channels: { telegram: { apiRoot: server.apiRoot, botToken: bot.token } } };
    const running = await RunningGateway.create({ 'openclaw.json': JSON.stringify(config) });
    onTestFinished(() => running.remove());
    await running.start();
    const look = async () => (await running.home.run(['status'])).out;
    await expect.poll(look, { timeout: 30_000 }).toMatch(/^telegram \(default: failed\) +at-/m);
    expect(await look()).toMatch(/^telegram \(default\): [^\n]+\.\ntelegram \(default\): [^\n]+\.$/m);
    const doctor = await running.home.run(['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.out).toMatch(/^channels +1 wrong +telegram \(default\): failed\n {2}wrong: \S/m);
    const argv = ['channels', 'login', 'telegram'];
    const refused = await running.home.run([...argv, '--no-check'], { answers: [bot.token] });
    expect(refused.err).toContain('In the running gateway, Telegram (default) is failed. ');
    bot.isRevoked = false;
    const login = await running.home.run(argv, { answers: [bot.token] });
    expect(login).toMatchObject({ code: 0, err: '' });
    expect(login.out).toContain('The running gateway is connected to Telegram as @atrium_bot.');
  });
});

describe('atrium channels try', () => {
  it('has workspaces of its own', () => {
    const agents = {
      defaults: { workspace: '/mine', model: 'a/b' },
      list: [{ id: 'main', workspace: '/mine/main', agentDir: '/mine/agent' }, { id: 'coder' }],
    };
    expect(trialSettings({ agents }, '/trial')).toEqual({
      agents: {
        defaults: { workspace: '/trial/workspace', model: 'a/b' },
        list: [
          { id: 'main', workspace: '/trial/workspaces/main' },
          { id: 'coder', workspace: '/trial/workspaces/coder' },
        ],
      },
    });
    expect(trialSettings({}, '/trial')).toEqual({ agents: { defaults: { workspace: '/trial/workspace' } } });
  });
});

describe('atrium channels list and status', () => {
  it('name sections of platforms that Atrium does not have', async () => {
    const home = await CliHome.create({ 'openclaw.json': '{ "channels": { "signal": { "account": "+1" } } }' });
    onTestFinished(() => home.remove());
    const { err } = await home.run(['channels', 'list']);
    expect(err).toContain('channels.signal: Atrium has no such channel');
  });

  it('say how an account of the running gateway is, and what to do about one that does not work', async () => {
    const telegram = await opened('telegram');
    const { apiRoot, botToken } = telegram.section;
    const wrong = '123456:AAwrong-token_of-some-bot_0123456789';
    const accounts = { good: { botToken }, bad: { botToken: wrong } };
    const config = { channels: { telegram: { apiRoot, accounts } } };
    const running = await RunningGateway.create({ 'openclaw.json': JSON.stringify(config) });
    onTestFinished(() => running.remove());
    await running.start();
    const look = () => running.home.run(['channels', 'status']);
    await expect
      .poll(async () => (await look()).out, { timeout: 30_000 })
      .toMatch(/telegram +bad +failed[\s\S]*telegram \(bad\): \S/);
    const { code, out } = await look();
    expect(code).toBe(1);
    expect(out).toMatch(/telegram +good +@atrium_bot +connected/);
    expect(out).not.toContain(wrong);
  });
});
