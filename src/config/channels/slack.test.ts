import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { slackAccountsOf, slackSection } from './slack.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'slack-tokens-'));
afterAll(() => rmSync(folder, { recursive: true }));

const TOKENS = { botToken: 'xoxb-1', appToken: 'xapp-1' };

function read(section: object | undefined, variables: Record<string, string> = {}) {
  const slack = section === undefined ? undefined : slackSection.parse(section);
  return slackAccountsOf({ channels: { slack } }, { variables, home: folder, cwd: folder });
}

describe('the accounts of Slack', () => {
  it('are none without a section, and one with its tokens', () => {
    expect(read(undefined, { SLACK_BOT_TOKEN: 'xoxb-1' })).toEqual({ accounts: [], problems: [] });
    expect(read({ ...TOKENS, enabled: false })).toEqual({ accounts: [], problems: [] });
    expect(read(TOKENS)).toMatchObject({
      accounts: [{ accountId: 'default', path: 'channels.slack', ...TOKENS }],
      problems: [],
    });
  });

  it("have OpenClaw's defaults", () => {
    expect(read(TOKENS).accounts).toMatchObject([
      {
        dmPolicy: 'pairing',
        groupPolicy: 'allowlist',
        requireMention: true,
        allowBots: false,
        groupDirects: { isEnabled: false },
        replyToMode: { direct: 'off', group: 'off', channel: 'off' },
        streaming: 'partial',
        initialHistoryLimit: 100,
        reactions: { mode: 'own' },
        unfurlLinks: false,
        textChunkLimit: 4_000,
        maxFileBytes: 20_971_520,
      },
    ]);
  });

  it('take tokens from the environment, the default account only', () => {
    const variables = { SLACK_BOT_TOKEN: ' xoxb-env ', SLACK_APP_TOKEN: 'xapp-env' };
    expect(read({}, variables).accounts).toMatchObject([{ botToken: 'xoxb-env', appToken: 'xapp-env' }]);
    expect(read({ botToken: 'xoxb-own' }, variables).accounts).toMatchObject([{ botToken: 'xoxb-own' }]);
    const both = read({ accounts: { work: TOKENS, home: {} } }, variables);
    expect(both.accounts.map(({ accountId }) => accountId)).toEqual(['default', 'work']);
    expect(both.problems).toMatchObject([
      expect.stringMatching(/^channels\.slack\.accounts\.home has no botToken/),
      expect.stringMatching(/^channels\.slack\.accounts\.home has no appToken/),
    ]);
  });

  it('inherit what they do not set', () => {
    const { accounts } = read({
      dmPolicy: 'open',
      allowFrom: ['*'],
      accounts: { work: { ...TOKENS, allowFrom: [42] } },
    });
    expect(accounts).toMatchObject([{ accountId: 'work', dmPolicy: 'open', allowFrom: ['42'] }]);
  });

  it.each([
    [{ mode: 'http', ...TOKENS }, 'mode is "http", which is not there'],
    [{ appToken: 'xapp-1' }, 'has no botToken'],
    [{ botToken: 'xoxb-1' }, 'has no appToken'],
    [{ botToken: 'xapp-2', appToken: 'xapp-1' }, 'does not begin with xoxb-'],
    [{ botToken: 'xoxb-1', appToken: 'xoxb-2' }, 'does not begin with xapp-'],
    [{ ...TOKENS, apiRoot: 'slack.test' }, 'apiRoot is not an address'],
    [{ ...TOKENS, botToken: { source: 'file', id: 'x' } }, 'only by a running gateway'],
    [{ ...TOKENS, botToken: { source: 'env', id: 'NOT_SET' } }, 'the variable NOT_SET, which is not set'],
    [{ appToken: 'xapp-1', botTokenFile: 'nowhere' }, 'cannot be read (ENOENT)'],
  ])('have a problem in words: %j', (section, words) => {
    const { accounts, problems } = read(section);
    expect(accounts).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(words)]);
    expect(problems[0]).not.toMatch(/xoxb-\d|xapp-\d/);
  });

  it('have their tokens in variables or in private files, too', async () => {
    await writeFile(path.join(folder, 'app-token'), 'xapp-file\n', { mode: 0o600 });
    const section = { botToken: { source: 'env', provider: 'default', id: 'MY_BOT' }, appTokenFile: 'app-token' };
    expect(read(section, { MY_BOT: 'xoxb-mine' })).toMatchObject({
      accounts: [{ botToken: 'xoxb-mine', appToken: 'xapp-file' }],
      problems: [],
    });
  });

  it('close a channel whose tools should be limited, unless the operator accepts that they are not', () => {
    const slack = slackSection.parse({ ...TOKENS, channels: { C1: { tools: { deny: ['exec'] } }, C2: {} } });
    const environment = { variables: {}, home: folder, cwd: folder };
    const { accounts, problems } = slackAccountsOf({ channels: { slack } }, environment);
    expect(accounts).toMatchObject([{ channels: { C1: { isEnabled: false }, C2: { isEnabled: true } } }]);
    expect(problems).toEqual([expect.stringMatching(/^channels\.slack\.channels\.C1\.tools limits tools/)]);
    const acceptUnused = ['channels.slack.channels.C1.tools'];
    expect(slackAccountsOf({ channels: { slack }, acceptUnused }, environment)).toMatchObject({
      accounts: [{ channels: { C1: { isEnabled: true } } }],
      problems: [],
    });
  });

  it('are not the same bot twice', () => {
    const { accounts, problems } = read({ accounts: { one: TOKENS, two: TOKENS } });
    expect(accounts.map(({ accountId }) => accountId)).toEqual(['one']);
    expect(problems).toEqual([expect.stringContaining('channels.slack.accounts.two has the same botToken')]);
  });

  it('read older and finer keys too', () => {
    const { accounts } = read({
      ...TOKENS,
      dm: {
        policy: 'allowlist',
        allowFrom: ['<@U1>'],
        groupEnabled: true,
        groupChannels: ['G1'],
        replyToMode: 'first',
      },
      channels: { C1: { allow: false }, C2: { enabled: true, requireMention: false, users: ['U2'] } },
      replyToMode: 'all',
      replyToModeByChatType: { group: 'batched' },
      streaming: { mode: 'progress' },
      thread: { initialHistoryLimit: 0, requireExplicitMention: true },
    });
    expect(accounts).toMatchObject([
      {
        dmPolicy: 'allowlist',
        allowFrom: ['U1'],
        groupDirects: { isEnabled: true, only: ['G1'] },
        channels: { C1: { isEnabled: false }, C2: { isEnabled: true, requireMention: false, users: ['U2'] } },
        replyToMode: { direct: 'first', group: 'off', channel: 'all' },
        streaming: 'progress',
        initialHistoryLimit: 0,
        requireExplicitMention: true,
      },
    ]);
    expect(read({ ...TOKENS, dm: { enabled: false } }).accounts).toMatchObject([{ dmPolicy: 'disabled' }]);
  });
});
