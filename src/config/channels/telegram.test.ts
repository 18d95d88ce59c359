import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { readEnvironment } from '../environment.ts';
import type { Config } from '../schema.ts';
import { configSchema } from '../schema.ts';
import { telegramAccountsOf } from './telegram.ts';

const TOKEN = '1234:first-token-of-a-bot';
const OTHER = '5678:second-token-of-a-bot';

function accountsOf(
  telegram: object,
  { env = {}, ...config }: { env?: Record<string, string>; [key: string]: unknown } = {},
) {
  const parsed = configSchema.parse({ ...config, channels: { telegram } }) as Config;
  return telegramAccountsOf(parsed, readEnvironment({ HOME: '/home/ana', ...env }));
}

describe('the accounts of Telegram', () => {
  it('are none without a section, and one with a token', () => {
    expect(telegramAccountsOf({}, readEnvironment({ TELEGRAM_BOT_TOKEN: TOKEN }))).toEqual({
      accounts: [],
      problems: [],
    });
    const { accounts, problems } = accountsOf({ botToken: TOKEN });
    expect(problems).toEqual([]);
    expect(accounts).toMatchObject([
      {
        accountId: 'default',
        path: 'channels.telegram',
        token: TOKEN,
        apiRoot: 'https://api.telegram.org',
        dmPolicy: 'pairing',
        groupPolicy: 'allowlist',
        streaming: 'partial',
        replyToMode: 'off',
        maxTextLength: 4_000,
        webhook: undefined,
      },
    ]);
  });

  it('take the token of the default account from the environment, where the configuration has none', () => {
    const env = { TELEGRAM_BOT_TOKEN: OTHER };
    expect(accountsOf({}, { env }).accounts).toMatchObject([{ token: OTHER }]);
    expect(accountsOf({ botToken: TOKEN }, { env }).accounts).toMatchObject([{ token: TOKEN }]);
    const reference = { source: 'env', provider: 'default', id: 'MY_BOT' };
    expect(accountsOf({ botToken: reference }, { env: { MY_BOT: TOKEN } }).accounts).toMatchObject([{ token: TOKEN }]);
    const { accounts, problems } = accountsOf({ accounts: { work: {} } }, { env });
    expect(accounts).toMatchObject([{ accountId: 'default', token: OTHER }]);
    expect(problems).toEqual([expect.stringContaining('channels.telegram.accounts.work has no botToken')]);
  });

  it('take from the section what they do not set, except the groups where there are several, and "*" where it names people', () => {
    const groups = { '-100': {} };
    const [one] = accountsOf({ groups, accounts: { work: { botToken: TOKEN } } }).accounts;
    expect(Object.keys(one?.groups ?? {})).toEqual(['-100']);
    const section = {
      groups,
      allowFrom: ['42'],
      accounts: {
        work: { botToken: TOKEN, allowFrom: ['*'], groups: { '-200': {} } },
        home: { botToken: OTHER, allowFrom: ['*', '7'] },
      },
    };
    expect(
      accountsOf(section).accounts.map(({ accountId, allowFrom, groups: own }) => [
        accountId,
        allowFrom,
        Object.keys(own),
      ]),
    ).toEqual([
      ['work', ['42'], ['-200']],
      ['home', ['7'], []],
    ]);
    expect(accountsOf({ accounts: { work: { botToken: TOKEN, allowFrom: ['*'] } } }).accounts[0]?.allowFrom).toEqual([
      '*',
    ]);
  });

  it('read batched as off, and show buttons where an old list names them', () => {
    expect(accountsOf({ botToken: TOKEN, replyToMode: 'batched' }).accounts[0]?.replyToMode).toBe('off');
    const shown = (capabilities: unknown) => accountsOf({ botToken: TOKEN, capabilities }).accounts[0]?.showsButtons;
    expect(shown(['inlineButtons'])).toEqual({ direct: true, shared: true });
    expect(shown([])).toEqual({ direct: false, shared: false });
    expect(shown({ inlineButtons: 'allowlist' })).toEqual({ direct: true, shared: true });
  });

  it('take it from a private file', async () => {
    const folder = await folderForTest();
    const file = join(folder, 'token');
    writeFileSync(file, `${TOKEN}\n`, { mode: 0o600 });
    expect(accountsOf({ tokenFile: file })).toMatchObject({ accounts: [{ token: TOKEN }], problems: [] });
    chmodSync(file, 0o644);
    expect(accountsOf({ tokenFile: file })).toMatchObject({
      accounts: [{ token: TOKEN }],
      problems: [expect.stringContaining('Make it private')],
    });
    symlinkSync(file, join(folder, 'link'));
    for (const name of ['link', 'missing', '.']) {
      const { accounts, problems } = accountsOf({ tokenFile: join(folder, name) });
      expect([accounts, problems]).toEqual([[], [expect.stringContaining('channels.telegram.tokenFile')]]);
    }
  });

  it('take what they do not set from the section', () => {
    const { accounts } = accountsOf({
      botToken: TOKEN,
      allowFrom: [42, 'tg:7'],
      streaming: { mode: 'block' },
      accounts: { Work: { botToken: OTHER, dmPolicy: 'open', streaming: false }, off: { enabled: false } },
    });
    expect(accounts).toMatchObject([
      { accountId: 'default', allowFrom: ['42', 'tg:7'], dmPolicy: 'pairing', streaming: 'block' },
      { accountId: 'work', allowFrom: ['42', 'tg:7'], dmPolicy: 'open', streaming: 'off', token: OTHER },
    ]);
  });

  it.each([
    [{ botToken: `\${TELEGRAM_BOT_TOKEN}` }, /names the variable TELEGRAM_BOT_TOKEN, which is not set/],
    [{ botToken: { source: 'file', id: 'X' } }, /reference to a secret/],
    [{ botToken: { source: 'env', id: 'MY_BOT' } }, /names the variable MY_BOT, which is not set/],
    [{ botToken: TOKEN, apiRoot: 'ftp://x' }, /apiRoot is not an address/],
    [{ botToken: TOKEN, webhookUrl: 'https://a.example/x' }, /needs channels.telegram.webhookSecret/],
    [
      { botToken: TOKEN, webhookUrl: 'https://a.example/x', webhookSecret: 'a b' },
      /needs channels.telegram.webhookSecret/,
    ],
    [{ botToken: TOKEN, proxy: 'socks5://a:1' }, /"acceptUnused": \["channels.telegram.proxy"\]/],
    [{ botToken: TOKEN, actions: { sendMessage: false } }, /channels.telegram.actions.sendMessage/],
  ])('that cannot be used are a sentence: %j', (section, problem) => {
    const { accounts, problems } = accountsOf(section);
    expect(accounts).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toContain('first-token');
  });

  it('with one token are one account', () => {
    const { accounts, problems } = accountsOf({ botToken: TOKEN, accounts: { work: {} } });
    expect(accounts.map(({ accountId }) => accountId)).toEqual(['default']);
    expect(problems).toEqual([expect.stringContaining('has the same token as channels.telegram')]);
  });

  it('with one webhook are told apart by their secrets', () => {
    const webhook = { webhookUrl: 'https://a.example/x', webhookSecret: 'one' };
    const both = { botToken: TOKEN, ...webhook, accounts: { work: { botToken: OTHER } } };
    expect(accountsOf(both)).toMatchObject({
      accounts: [{ accountId: 'default' }],
      problems: [expect.stringContaining('secret of its own')],
    });
    const apart = accountsOf({ ...both, accounts: { work: { botToken: OTHER, webhookSecret: 'two' } } });
    expect(apart.accounts.map((each) => each.webhook)).toEqual([
      { url: 'https://a.example/x', secret: 'one', host: '127.0.0.1', port: 8787, path: '/telegram-webhook' },
      { url: 'https://a.example/x', secret: 'two', host: '127.0.0.1', port: 8787, path: '/telegram-webhook' },
    ]);
  });

  it('reach the Bot API at its root, however it is written', () => {
    for (const apiRoot of ['http://127.0.0.1:8081', 'http://127.0.0.1:8081/', `http://127.0.0.1:8081/bot${TOKEN}/`]) {
      expect(accountsOf({ botToken: TOKEN, apiRoot }).accounts[0]?.apiRoot).toBe('http://127.0.0.1:8081');
    }
  });

  it('close a place that has limits of its own for tools, until the operator accepts that there are none', () => {
    const groups = { '-5': { tools: { deny: ['exec'] } }, '-6': {} };
    const { accounts, problems } = accountsOf({ botToken: TOKEN, groups });
    expect(accounts[0]?.groups).toMatchObject({ '-5': { enabled: false }, '-6': { enabled: undefined } });
    expect(problems).toEqual([expect.stringContaining('channels.telegram.groups.-5.tools')]);
    const accepted = accountsOf({ botToken: TOKEN, groups }, { acceptUnused: ['channels.telegram.groups'] });
    expect(accepted).toMatchObject({ accounts: [{ groups: { '-5': { enabled: undefined } } }], problems: [] });
  });

  it('send a topic to an agent that exists', () => {
    const topics = { '3': { agentId: 'coder' }, '4': { agentId: 'nobody' } };
    const agents = { list: [{ id: 'main' }, { id: 'coder' }] };
    const { accounts, problems } = accountsOf({ botToken: TOKEN, groups: { '-5': { topics } } }, { agents });
    expect(accounts[0]?.groups['-5']?.topics).toMatchObject({ '3': { agentId: 'coder' }, '4': { agentId: undefined } });
    expect(problems).toEqual([expect.stringContaining('names the agent nobody')]);
  });

  it('show buttons, act and quote as far as the settings say', () => {
    const actions = { reactions: false };
    const section = { botToken: TOKEN, actions, capabilities: { inlineButtons: 'dm' }, contextVisibility: 'allowlist' };
    expect(accountsOf(section).accounts).toMatchObject([
      {
        showsButtons: { direct: true, shared: false },
        allows: { reactions: false, editMessage: true },
        quotesOnlyListed: true,
      },
    ]);
    expect(accountsOf({ botToken: TOKEN, capabilities: ['inlineButtons'] }).accounts).toMatchObject([
      { showsButtons: { direct: true, shared: true } },
    ]);
  });
});
