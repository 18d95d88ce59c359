// The connection to Slack: how it is lost and made again, and what the operator sees of it.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeSlack } from '../../src/testkit/slack/fake-slack.ts';
import type { SlackAccount } from './account.ts';
import {
  accountFor,
  channelOver,
  NO_SIGNAL,
  openSlack,
  partFor,
  surfaceIn,
  type TestSlack,
  whenConnected,
} from './fixtures/slack-rig.ts';
import { TestPort } from './fixtures/test-port.ts';
import { slack as extension } from './index.ts';

const open: { readonly slack: FakeSlack; readonly channel: TestSlack['channel'] }[] = [];

async function start(options: Parameters<typeof openSlack>[0] = {}) {
  const opened = await openSlack(options);
  open.push(opened);
  return opened;
}

/** A channel that is opened and not waited for. */
async function startWithout(settings: Partial<SlackAccount>, prepare: (slack: FakeSlack) => void = () => {}) {
  const slack = await FakeSlack.start();
  prepare(slack);
  const opened = channelOver(slack, { accounts: [accountFor(slack, settings)] });
  open.push(opened);
  const port = new TestPort();
  await opened.channel.open(port);
  return { ...opened, port };
}

afterEach(async () => {
  for (const { channel, slack } of open.splice(0)) {
    await channel.close();
    await slack.remove();
  }
});

describe('a connection to Slack', () => {
  it.each([
    'refresh_requested',
    'warning',
  ])('is made again when Slack asks for it (%s), and nothing is lost', async (reason) => {
    const opened = await start();
    const { slack, port } = opened;
    const ana = slack.direct('ana');
    await slack.says(ana, 'one').isAcked;
    slack.socketsOf().disconnect(reason);
    void slack.says(ana, 'two');
    await vi.waitFor(() => expect(port.texts).toEqual(['one', 'two']));
    await whenConnected(opened);
    await vi.waitFor(() => expect(slack.socketsOf().count).toBe(1));
    await slack.says(ana, 'three').isAcked;
    expect(port.texts).toEqual(['one', 'two', 'three']);
  });

  it('that breaks is made again, after refusals too, and says so meanwhile', async () => {
    const opened = await start();
    const { slack, port, channel, warnings } = opened;
    slack.refuseSockets(1);
    slack.fault('apps.connections.open', { status: 502 });
    slack.socketsOf().cut();
    await vi.waitFor(() => expect(channel.accounts.list()).toMatchObject([{ state: 'reconnecting' }]));
    expect(channel.accounts.list()[0]?.detail).toMatch(/\.$/);
    await whenConnected(opened);
    await slack.says(slack.direct('ana'), 'still there?').isAcked;
    expect(port.texts).toEqual(['still there?']);
    expect(warnings).toEqual([expect.stringMatching(/^Slack, account default: .+ It is tried again\.$/)]);
    expect(channel.accounts.list()).toEqual([
      { accountId: 'default', state: 'connected', name: 'atrium', since: expect.any(Number) },
    ]);
  });

  it('comes when Slack comes: a server that is away at the start is waited for', async () => {
    const slack = await FakeSlack.start();
    await slack.stop();
    const opened = channelOver(slack);
    open.push(opened);
    await opened.channel.open(new TestPort());
    await vi.waitFor(() => expect(opened.channel.accounts.list()[0]?.detail).toContain('could not be reached'));
    expect(opened.channel.accounts.list()).toMatchObject([{ state: 'connecting' }]);
    await slack.start();
    await whenConnected(opened);
    // The log says it once, however many attempts failed.
    expect(opened.warnings).toEqual([expect.stringMatching(/^Slack, account default: .*could not be reached/)]);
  });

  it('that Slack limits is tried again after the time that Slack names', async () => {
    const opened = await startWithout({}, (slack) => slack.fault('apps.connections.open', { limitSeconds: 1 }));
    await whenConnected(opened);
    expect(opened.slack.calls.filter(({ method }) => method === 'apps.connections.open')).toHaveLength(2);
  });

  it.each([
    ['auth.test', 'invalid_auth', 'botToken'],
    ['auth.test', 'account_inactive', 'Install it again'],
    ['apps.connections.open', 'invalid_auth', 'appToken'],
    ['apps.connections.open', 'not_allowed_token_type', 'xapp-'],
  ])('is given up when Slack answers %s with %s', async (method, error, step) => {
    const { channel, slack, warnings } = await startWithout({}, (fake) => fake.fault(method, { error }, 100));
    await vi.waitFor(() => expect(channel.accounts.list()).toMatchObject([{ state: 'failed' }]));
    const [status] = channel.accounts.list();
    expect(status).toMatchObject({ detail: expect.stringContaining(error), nextStep: expect.stringContaining(step) });
    expect(slack.calls.filter((call) => call.method === method)).toHaveLength(1);
    const outcome = await channel.send(partFor(surfaceIn({ kind: 'channel', id: 'C1' }), 'hello'), NO_SIGNAL);
    expect(outcome).toMatchObject({ outcome: 'retry', reason: status?.detail });
    expect(warnings).toEqual([`Slack, account default: ${status?.detail} ${status?.nextStep}`]);
  });

  it('is given up when the app token lacks its scope, which is named', async () => {
    const facts = { needed: 'connections:write', provided: 'none' };
    const { channel } = await startWithout({}, (slack) =>
      slack.fault('apps.connections.open', { error: 'missing_scope', facts }),
    );
    await vi.waitFor(() => expect(channel.accounts.list()).toMatchObject([{ state: 'failed' }]));
    expect(channel.accounts.list()[0]?.nextStep).toContain('connections:write');
  });

  it('is given up when Socket Mode is switched off', async () => {
    const { slack, channel } = await start();
    slack.socketsOf().disconnect('link_disabled');
    await vi.waitFor(() => expect(channel.accounts.list()).toMatchObject([{ state: 'failed' }]));
    expect(channel.accounts.list()[0]?.nextStep).toContain('Socket Mode');
  });

  it('is given up when the token was revoked, and no sentence has the token', async () => {
    const { slack, channel, warnings } = await start();
    slack.revoke();
    const outcome = await channel.send(partFor(surfaceIn({ kind: 'direct', id: 'U1' }), 'hello'), NO_SIGNAL);
    await vi.waitFor(() => expect(channel.accounts.list()).toMatchObject([{ state: 'failed' }]));
    expect(channel.accounts.list()[0]?.detail).toContain('token_revoked');
    expect(JSON.stringify([outcome, channel.accounts.list(), warnings])).not.toMatch(/xoxb|xapp/);
  });

  it('of one account does not disturb another', async () => {
    const slack = await FakeSlack.start();
    const second = slack.addApp('second');
    slack.fault('auth.test', { error: 'invalid_auth' });
    const accounts = [
      accountFor(slack, { accountId: 'broken' }),
      accountFor(slack, { accountId: 'work', path: 'channels.slack.accounts.work' }, second),
    ];
    const opened = channelOver(slack, { accounts });
    open.push(opened);
    const port = new TestPort();
    await opened.channel.open(port);
    const stateOf = (id: string) => opened.channel.accounts.list().find(({ accountId }) => accountId === id)?.state;
    await vi.waitFor(() => expect([stateOf('broken'), stateOf('work')]).toEqual(['failed', 'connected']));
    const ana = slack.direct('ana', second);
    await slack.says(ana, 'hello').isAcked;
    expect(port.received).toMatchObject([{ text: 'hello', surface: { accountId: 'work' } }]);
    const surface = { ...surfaceIn({ kind: 'direct', id: slack.person('ana').id }), accountId: 'work' };
    expect(await opened.channel.send(partFor(surface, 'hi'), NO_SIGNAL)).toMatchObject({ outcome: 'sent' });
    expect(slack.messages(ana)).toMatchObject([{ user: second.user.id, text: 'hi' }]);
  });

  it.each([
    ['connected', async () => (await start()).channel],
    [
      'waiting for an answer',
      async () => (await startWithout({}, (slack) => slack.fault('auth.test', { delayMs: 30_000 }))).channel,
    ],
    [
      'between two attempts',
      async () => (await startWithout({}, (slack) => slack.fault('auth.test', { status: 500 }, 100))).channel,
    ],
  ])('ends within a second while it is %s', async (_, make) => {
    const channel = await make();
    const begun = performance.now();
    await channel.close();
    // The bound is a second; the rest is for a machine that is busy with something else.
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(channel.accounts.list().map(({ state }) => state)).not.toContain('connected');
  });
});

describe('trying an account', () => {
  it('says who the bot is, and what does not work without a scope', async () => {
    const { slack } = await start();
    slack.app.scopes.delete('files:read');
    expect(await extension.check(accountFor(slack), NO_SIGNAL)).toEqual({
      outcome: 'ok',
      name: 'atrium in Test Team',
      notes: ['The scope files:read is missing, so files that people send cannot be read.'],
    });
  });

  it('says which token Slack refuses, and when Slack cannot be asked', async () => {
    const { slack } = await start();
    const check = (settings: Partial<SlackAccount>) => extension.check(accountFor(slack, settings), NO_SIGNAL);
    expect(await check({ botToken: 'xoxb-wrong' })).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('botToken'),
    });
    expect(await check({ appToken: 'xapp-wrong' })).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('appToken'),
    });
    await slack.stop();
    expect(await check({})).toMatchObject({ outcome: 'unreachable' });
  });
});
