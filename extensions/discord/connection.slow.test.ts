import { describe, expect, it, onTestFinished } from 'vitest';
import { DiscordRig } from './fixtures/discord-rig.ts';
import { NEVER, openAgain, openDiscord, partFor } from './fixtures/open-discord.ts';
import { TestPort } from './fixtures/test-port.ts';
import { discord } from './index.ts';

describe('the connection to Discord', () => {
  it('resumes after a cut, and nothing is lost or doubled', async () => {
    const { rig, platform, port, channel } = await openDiscord();
    platform.says(rig.ann, rig.general, 'one');
    await platform.until(() => port.received.length === 1, 'the first came');
    platform.gateway.cut();
    platform.says(rig.ann, rig.general, 'two');
    platform.says(rig.ann, rig.dm, 'three');
    await platform.until(() => channel.accounts.list()[0]?.state === 'reconnecting', 'the loss is shown');
    expect(channel.accounts.list()).toMatchObject([{ detail: expect.stringContaining('made again by itself') }]);
    await platform.until(() => port.received.length === 3, 'the others came');
    platform.gateway.askToReconnect();
    platform.says(rig.ann, rig.general, 'four');
    await platform.until(() => port.texts.includes('four'), 'the fourth came');
    await rig.isConnected(channel);
    expect([...port.texts].sort()).toEqual(['four', 'one', 'three', 'two']);
    expect(port.duplicates).toBe(0);
    expect(platform.gateway.counts).toMatchObject({ identified: 1 });
  });

  it('reads what it missed when the session is over', async () => {
    const { rig, platform, port, channel } = await openDiscord();
    platform.says(rig.ann, rig.dm, 'one');
    platform.says(rig.ann, rig.general, 'two');
    await platform.until(() => port.received.length === 2, 'the first two came');
    platform.gateway.allowsResume = false;
    platform.gateway.cut();
    const thread = platform.opensThread(rig.ann, rig.general, 'New');
    platform.world.addMessage({ channelId: rig.dm.id, authorId: rig.ann.id, content: 'three' });
    platform.world.addMessage({ channelId: rig.general.id, authorId: rig.ann.id, content: 'four' });
    platform.world.addMessage({ channelId: thread.id, authorId: rig.ann.id, content: 'five' });
    await platform.until(() => port.received.length === 5, 'the missed ones came');
    platform.says(rig.ann, rig.general, 'six');
    await platform.until(() => port.received.length === 6, 'it goes on');
    expect([...port.texts].sort()).toEqual(['five', 'four', 'one', 'six', 'three', 'two']);
    expect(port.received.find(({ text }) => text === 'four')).toMatchObject({ space: { senderRoles: ['5001'] } });
    await rig.isConnected(channel);
  });

  it('goes on after a session that Discord declares invalid, resumable or not', async () => {
    const { rig, platform, port, channel } = await openDiscord();
    for (const isResumable of [true, false]) {
      platform.gateway.invalidate(isResumable);
      await platform.until(
        () => platform.gateway.counts.resumed + platform.gateway.counts.identified > (isResumable ? 1 : 2),
        'it is back',
      );
      await rig.isConnected(channel);
      platform.says(rig.ann, rig.general, `resumable: ${isResumable}`);
      await platform.until(() => port.texts.includes(`resumable: ${isResumable}`), 'it goes on');
    }
    expect(platform.gateway.counts).toMatchObject({ identified: 2 });
  });

  it('comes back when Discord was away, also from the very first moment', async () => {
    const rig = await DiscordRig.start();
    onTestFinished(() => rig.platform.stop());
    const account = rig.account();
    await rig.platform.stop();
    const channel = rig.channel(account);
    onTestFinished(() => channel.close());
    const port = new TestPort();
    await channel.open(port);
    const state = () => channel.accounts.list()[0];
    await rig.platform.until(() => state()?.detail?.includes('tried again') === true, 'the attempt failed');
    expect(state()).toMatchObject({ state: 'connecting' });
    await rig.platform.start();
    await rig.isConnected(channel);
    await rig.platform.stop();
    await rig.platform.until(() => state()?.state === 'reconnecting', 'it is lost');
    // The log says it once, however many attempts fail.
    expect(rig.warnings).toEqual([expect.stringMatching(/^Discord, account default: .+ It is tried again\.$/)]);
    await rig.platform.start();
    rig.platform.says(rig.ann, rig.general, 'hello');
    await rig.platform.until(() => port.received.length === 1, 'it is back');
    expect(rig.platform.gateway.counts).toMatchObject({ identified: 1 });
  });

  it('fails with the next step when the token is wrong, is revoked, or an intent is missing', async () => {
    const { rig, platform, channel } = await openDiscord();
    const state = () => channel.accounts.list()[0];
    platform.revoke(rig.bot);
    await platform.until(() => state()?.state === 'failed', 'the account has failed');
    expect(state()).toMatchObject({
      detail: expect.stringContaining('does not take the token'),
      nextStep: expect.stringContaining('channels.discord.token'),
    });
    expect(rig.warnings).toEqual([
      expect.stringMatching(/^Discord, account default: .*does not take the token.*set channels\.discord\.token\.$/),
    ]);
    const requests = platform.rest.requests.length;
    expect(await channel.send(partFor(rig.surfaceOf(rig.general), 'hello'), NEVER)).toMatchObject({ outcome: 'retry' });
    expect(platform.rest.requests.length).toBeLessThanOrEqual(requests + 1);

    const wrong = rig.channel(rig.account({ accountId: 'wrong' }));
    onTestFinished(() => wrong.close());
    await wrong.open(new TestPort());
    await platform.until(() => wrong.accounts.list()[0]?.state === 'failed', 'the wrong token is found');

    rig.bot.isRevoked = false;
    rig.bot.mayReadContent = false;
    const blind = rig.channel();
    onTestFinished(() => blind.close());
    await blind.open(new TestPort());
    await platform.until(() => blind.accounts.list()[0]?.state === 'failed', 'the missing intent is found');
    expect(blind.accounts.list()[0]?.nextStep).toContain('Tick "Message Content Intent"');
    expect(rig.warnings).toHaveLength(3);
    expect(rig.warnings[2]).toContain('Tick "Message Content Intent"');
    const said = JSON.stringify([channel, wrong, blind].map(({ accounts }) => accounts.list()));
    expect(said + rig.warnings.join()).not.toContain(rig.bot.token);
  });

  it('a second account goes on when one has failed', async () => {
    const rig = await DiscordRig.start();
    const { platform } = rig;
    onTestFinished(() => platform.stop());
    const second = platform.addBot('second');
    const dm = platform.dm(second, rig.ann);
    const channel = rig.channel(
      rig.account({ accountId: 'broken', token: 'no-such-token-at-all.xx' }),
      rig.account({ accountId: 'work', token: second.token }),
      rig.account({ accountId: 'home' }),
    );
    onTestFinished(() => channel.close());
    const port = new TestPort();
    await channel.open(port);
    const states = () => Object.fromEntries(channel.accounts.list().map(({ accountId, state }) => [accountId, state]));
    await platform.until(
      () => states().broken === 'failed' && states().work === 'connected' && states().home === 'connected',
      'each is what it is',
    );
    platform.says(rig.ann, dm, 'to work');
    platform.says(rig.ann, rig.dm, 'to home');
    await platform.until(() => port.received.length === 2, 'both came');
    const accounts = Object.fromEntries(port.received.map(({ text, surface }) => [text, surface.accountId]));
    expect(accounts).toEqual({ 'to work': 'work', 'to home': 'home' });
  });

  it('closes within a second, connected, connecting or in the middle of coming back', async () => {
    for (const moment of ['connected', 'opening', 'lost', 'silent'] as const) {
      const rig = await DiscordRig.start();
      onTestFinished(() => rig.platform.stop());
      const channel = rig.channel();
      await channel.open(new TestPort());
      if (moment !== 'opening') await rig.isConnected(channel);
      if (moment === 'lost') {
        await rig.platform.stop();
        await rig.platform.until(() => channel.accounts.list()[0]?.state === 'reconnecting', 'it is lost');
      }
      const begin = performance.now();
      await channel.close();
      // Generous for a busy machine; a close that waits for Discord would take thirty seconds.
      expect(performance.now() - begin).toBeLessThan(5_000);
      expect(channel.accounts.list()).toMatchObject([{ state: 'stopped' }]);
      const { connections } = rig.platform.gateway.counts;
      if (moment === 'lost') await rig.platform.start();
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      expect(rig.platform.gateway.counts.connections).toBe(connections);
    }
  });
});

describe('a restart in the middle', () => {
  it('resumes where the last process had stored, and nothing is lost or doubled', async () => {
    const opened = await openDiscord();
    const { rig, platform, port } = opened;
    platform.says(rig.ann, rig.general, 'one');
    await platform.until(() => port.received.length === 1, 'the first came');
    port.before = (text) => (text === 'two' ? new Promise(() => {}) : undefined);
    platform.says(rig.ann, rig.general, 'two');
    const { sent } = platform.says(rig.ann, rig.dm, 'three');
    await platform.until(() => port.texts.includes('three'), 'another conversation goes on');
    expect(sent[0]?.sequence).toBeGreaterThan(0);
    await opened.channel.close();
    platform.says(rig.ann, rig.dm, 'four');
    port.before = () => {};
    const { channel } = await openAgain(rig, port);
    await platform.until(() => port.received.length === 4, 'the rest came');
    expect(port.texts.filter((text) => text === 'two')).toEqual(['two']);
    expect([...port.texts].sort()).toEqual(['four', 'one', 'three', 'two']);
    expect(platform.gateway.counts).toMatchObject({ identified: 1 });
    await rig.isConnected(channel);
  });

  it('reads the past again when the process ends while it reads it', async () => {
    const opened = await openDiscord();
    const { rig, platform, port } = opened;
    platform.says(rig.ann, rig.dm, 'one');
    await platform.until(() => port.received.length === 1, 'the first came');
    await opened.channel.close();
    platform.gateway.invalidate(false);
    for (const content of ['two', 'three']) {
      platform.world.addMessage({ channelId: rig.dm.id, authorId: rig.ann.id, content });
    }
    port.before = (text) => (text === 'three' ? new Promise(() => {}) : undefined);
    const second = await openAgain(rig, port);
    await platform.until(() => port.texts.includes('two'), 'the past is being read');
    await second.channel.close();
    port.before = () => {};
    const { channel } = await openAgain(rig, port);
    await platform.until(() => port.texts.includes('three'), 'all of the past is read');
    await rig.isConnected(channel);
    expect(port.texts).toEqual(['one', 'two', 'three']);
  });

  it('keeps the order of a conversation while something cannot be stored', async () => {
    const { rig, platform, port } = await openDiscord();
    let failures = 2;
    port.before = () => {
      failures -= 1;
      if (failures >= 0) throw new Error('the store is full');
    };
    platform.gateway.disturbNext('duplicate');
    for (const text of ['one', 'two', 'three']) platform.says(rig.ann, rig.general, text);
    await platform.until(() => port.received.length === 3, 'all came');
    expect(port.texts).toEqual(['one', 'two', 'three']);
    expect(rig.warnings).toEqual([expect.stringContaining('could not be taken and is tried again')]);
    platform.gateway.disturbNext('hold');
    platform.says(rig.ann, rig.general, 'late');
    platform.says(rig.ann, rig.dm, 'early');
    await platform.until(() => port.received.length === 5, 'both came');
  });
});

describe('a bad day', () => {
  it('loses nothing and keeps the order of every conversation, through cuts, lost sessions, duplicates and a restart', async () => {
    const opened = await openDiscord();
    const { rig, platform, port } = opened;
    let { channel } = opened;
    const channels = [rig.general, rig.dm, ...['a', 'b', 'c'].map((name) => platform.addChannel(rig.guild, name))];
    let writes = 0;
    port.before = () => {
      writes += 1;
      if (writes % 17 === 0) throw new Error('the store is full');
    };
    const rounds = 30;
    for (let round = 1; round <= rounds; round += 1) {
      if (round % 7 === 0) platform.gateway.disturbNext('duplicate');
      for (const each of channels) platform.says(rig.ann, each, `${round}`);
      if (round === 8) platform.gateway.cut();
      if (round === 16) platform.gateway.invalidate(false);
      if (round === 24) {
        await channel.close();
        ({ channel } = await openAgain(rig, port));
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await platform.until(() => port.received.length >= rounds * channels.length, 'everything came');
    const expected = Array.from({ length: rounds }, (_, index) => `${index + 1}`);
    for (const each of channels) {
      const { peer } = rig.surfaceOf(each);
      expect(port.received.filter(({ surface }) => surface.peer.id === peer.id).map(({ text }) => text)).toEqual(
        expected,
      );
    }
    await rig.isConnected(channel);
  });
});

describe('checking an account', () => {
  it('says who the bot is and what is missing, without sending anything', async () => {
    const rig = await DiscordRig.start();
    onTestFinished(() => rig.platform.stop());
    const account = rig.account();
    expect(await discord.check(account, NEVER)).toEqual({ outcome: 'ok', name: 'atrium', notes: [] });
    rig.bot.mayReadContent = false;
    rig.platform.world.guilds.clear();
    expect(await discord.check(account, NEVER)).toMatchObject({
      notes: [expect.stringContaining('Message Content Intent'), expect.stringContaining('in no server yet')],
    });
    expect(await discord.check({ ...account, token: 'no-such-token-at-all.xx' }, NEVER)).toMatchObject({
      outcome: 'refused',
      nextStep: expect.stringContaining('Developer Portal'),
    });
    await rig.platform.stop();
    expect(await discord.check(account, NEVER)).toMatchObject({ outcome: 'unreachable' });
  });
});
