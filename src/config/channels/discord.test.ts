import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { readEnvironment } from '../environment.ts';
import { type Config, configSchema } from '../schema.ts';
import { discordAccountsOf } from './discord.ts';

const TOKEN = 'MTIz.fake.token-of-a-bot';
const OTHER = 'NDU2.fake.token-of-a-bot';

describe('the accounts of Discord', () => {
  it('that say something in the older way are not overruled by their section', () => {
    const { accounts } = found({
      allowFrom: ['*'],
      dmPolicy: 'open',
      botLoopProtection: { maxEventsPerWindow: 3, windowSeconds: 9 },
      accounts: {
        work: {
          token: TOKEN,
          dm: { policy: 'allowlist', allowFrom: ['1'] },
          botLoopProtection: { maxEventsPerWindow: 4 },
        },
      },
    });
    expect(accounts).toMatchObject([{ dmPolicy: 'allowlist', allowFrom: ['1'] }]);
    expect(accounts[0]?.botLoop).toMatchObject({ most: 4, windowMs: 9_000 });
  });

  it('has none without a section, and a problem without a token', () => {
    expect(found(undefined)).toEqual({ accounts: [], problems: [] });
    expect(found({ enabled: false, token: TOKEN })).toEqual({ accounts: [], problems: [] });
    expect(found({})).toMatchObject({
      accounts: [],
      problems: [
        'channels.discord has no token, so this account of Discord is not started. The page "Bot" of the application in the Developer Portal gives one.',
      ],
    });
    expect(found({ token: 'short' }).problems).toEqual([expect.stringContaining('does not look like one')]);
  });

  it('fills in the defaults', () => {
    expect(found({ token: ` Bot ${TOKEN} ` }).accounts).toMatchObject([
      {
        accountId: 'default',
        path: 'channels.discord',
        token: TOKEN,
        apiRoot: 'https://discord.com/api',
        dmPolicy: 'pairing',
        allowFrom: [],
        groupPolicy: 'allowlist',
        streaming: 'progress',
        replyToMode: 'off',
        autoThread: false,
        initialHistoryLimit: 100,
        maxFileBytes: 26_214_400,
        maxTextLength: 2_000,
        suppressEmbeds: true,
        allowBots: false,
        botLoop: { most: 20, windowMs: 60_000, cooldownMs: 60_000 },
        nativeCommands: { isOn: true, guilds: [] },
      },
    ]);
  });

  it('finds the token in the variable, in the variable that a reference names, and in a private file', async () => {
    expect(found({}, { DISCORD_BOT_TOKEN: TOKEN }).accounts).toMatchObject([{ token: TOKEN }]);
    const reference = { source: 'env', provider: 'default', id: 'MY_BOT' };
    expect(found({ token: reference }, { MY_BOT: TOKEN }).accounts).toMatchObject([{ token: TOKEN }]);
    expect(found({ token: reference }).problems).toEqual([
      expect.stringContaining('the variable MY_BOT, which is not set'),
    ]);
    expect(found({ token: { source: 'exec', id: 'x' } }).problems).toEqual([
      expect.stringContaining('only by a running gateway'),
    ]);
    const file = join(await folderForTest(), 'token');
    await writeFile(file, `${TOKEN}\n`, { mode: 0o600 });
    expect(found({ tokenFile: file })).toMatchObject({ accounts: [{ token: TOKEN }], problems: [] });
    await chmod(file, 0o644);
    expect(found({ tokenFile: file }).problems).toEqual([expect.stringContaining('chmod 600')]);
    expect(found({ accounts: { work: {} } }, { DISCORD_BOT_TOKEN: TOKEN }).accounts).toMatchObject([
      { accountId: 'default' },
    ]);
  });

  it('has several accounts, each with its own settings over those of the section', () => {
    const section = {
      replyToMode: 'all',
      accounts: { Home: { token: TOKEN }, work: { token: OTHER, replyToMode: 'first' }, same: { token: TOKEN } },
    };
    const { accounts, problems } = found(section);
    expect(accounts).toMatchObject([
      { accountId: 'home', replyToMode: 'all', path: 'channels.discord.accounts.Home' },
      { accountId: 'work', replyToMode: 'first' },
    ]);
    expect(problems).toEqual([expect.stringContaining('channels.discord.accounts.same has the same token')]);
    expect(JSON.stringify(problems)).not.toContain(TOKEN);
  });

  it('reads old spellings, mentions as ids, and servers with their channels', () => {
    const section = {
      token: TOKEN,
      dm: { policy: 'allowlist', allowFrom: ['<@123>', 'user:456', 789] },
      replyToMode: 'batched',
      guilds: {
        '11': {
          requireMention: false,
          roles: ['<@&99>'],
          channels: {
            general: { allow: true },
            off: { allow: false },
            t: { autoThread: true, autoArchiveDuration: '60' },
          },
        },
      },
    };
    expect(found(section).accounts).toMatchObject([
      {
        dmPolicy: 'allowlist',
        allowFrom: ['123', '456', '789'],
        replyToMode: 'off',
        guilds: {
          '11': {
            isOn: true,
            requireMention: false,
            roles: ['99'],
            channels: {
              general: { isOn: true },
              off: { isOn: false },
              t: { autoThread: true, autoArchiveMinutes: 60 },
            },
          },
        },
      },
    ]);
    expect(found({ token: TOKEN, dm: { enabled: false, policy: 'open' } }).accounts).toMatchObject([
      { dmPolicy: 'disabled' },
    ]);
  });

  it('closes what a missing protection was meant for, unless it is accepted', () => {
    const guilds = {
      '11': { tools: { deny: ['exec'] }, channels: { '22': { toolsBySender: { '*': { deny: ['exec'] } } } } },
    };
    const closed = found({ token: TOKEN, guilds });
    expect(closed.accounts).toMatchObject([{ guilds: { '11': { isOn: false, channels: { '22': { isOn: false } } } } }]);
    expect(closed.problems).toHaveLength(2);
    const accepted = found({ token: TOKEN, guilds }, {}, ['channels.discord.guilds.11.tools']);
    expect(accepted.accounts).toMatchObject([
      { guilds: { '11': { isOn: true, channels: { '22': { isOn: false } } } } },
    ]);
    expect(found({ token: TOKEN, proxy: 'http://proxy' })).toMatchObject({
      accounts: [],
      problems: [expect.stringContaining('"acceptUnused": ["channels.discord.proxy"]')],
    });
    expect(found({ token: TOKEN, contextVisibility: 'allowlist' }).accounts).toMatchObject([
      { quotesOnlyListed: true, initialHistoryLimit: 0 },
    ]);
  });
});

function found(discord: unknown, variables: Record<string, string> = {}, acceptUnused: readonly string[] = []) {
  const config: Config = configSchema.parse({ acceptUnused, ...(discord !== undefined && { channels: { discord } }) });
  return discordAccountsOf(config, readEnvironment({ HOME: '/home/ana', ...variables }));
}
