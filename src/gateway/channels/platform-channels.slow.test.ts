// Chat platforms that come and go with the configuration, in a whole gateway. The platforms are test channels.

import { describe, expect, it } from 'vitest';
import type { Config } from '../../config/schema.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { gate } from '../../testkit/gate.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { TestChannel } from '../../testkit/test-channel.ts';
import { type ExtensionRow, extensionRow } from './channel-extensions.ts';

interface TestAccount {
  readonly accountId: string;
  readonly token: string;
}

/** A platform whose section is `{ token }`, and every channel that was made for it. */
function platform(id: string, made: TestChannel[] = []): ExtensionRow & { readonly made: TestChannel[] } {
  const row = extensionRow<TestAccount>({
    id,
    name: id,
    tokens: [],
    loadReader: async () => (config: Config) => {
      const section = (config as Record<string, unknown>).channels;
      const own = isJsonObject(section) ? section[id] : undefined;
      if (!isJsonObject(own)) return { accounts: [], problems: [] };
      if (typeof own.token !== 'string') return { accounts: [], problems: [`channels.${id} has no token.`] };
      return { accounts: [{ accountId: 'default', token: own.token }], problems: [] };
    },
    load: async () => ({
      id,
      create: ({ accounts }) => {
        if (accounts[0]?.token === 'broken') throw new Error('the library is broken');
        const channel = new TestChannel({ id, can: ['accounts'] });
        if (accounts[0]?.token === 'slow') channel.open = () => new Promise(() => {});
        made.push(channel);
        return channel;
      },
      check: async () => ({ outcome: 'ok', name: id, notes: [] }),
    }),
  });
  return { ...row, made };
}

/** The channel that was made for a platform, once its code is loaded. */
async function opened({ made }: { readonly made: readonly TestChannel[] }, index = 0): Promise<TestChannel> {
  await expect.poll(() => made.length, { timeout: 20_000 }).toBeGreaterThan(index);
  const channel = made[index];
  if (!channel) throw new Error('no channel was made');
  return channel;
}

async function configure(scratch: ScratchGateway, channels: object): Promise<void> {
  const config = JSON.parse(await scratch.home.read('openclaw.json'));
  await scratch.home.write('openclaw.json', JSON.stringify({ ...config, channels }));
  await scratch.services.status();
}

describe('the channels of chat platforms', () => {
  it('are there when the configuration names them, and talk', async () => {
    const chat = platform('chat');
    const scratch = await gatewayForTest({ extensions: [chat], config: { channels: { chat: { token: 'a' } } } });
    scratch.model.script([reply('Hello Ann.')]);
    const channel = await opened(chat);
    await channel.says({ sender: 'ann' }, 'Hello');
    await channel.expectDelivered('Hello Ann.', { sender: 'ann' });
    const { channels } = await scratch.services.status();
    expect(channels.find(({ id }) => id === 'chat')?.accounts).toMatchObject([{ state: 'connected' }]);
  });

  it('come, change and go with the file, and a channel whose settings did not change is left alone', async () => {
    const [chat, talk] = [platform('chat'), platform('talk')];
    const scratch = await gatewayForTest({ extensions: [chat, talk] });
    expect(chat.made).toEqual([]);
    await configure(scratch, { chat: { token: 'a' }, talk: { token: 'x' } });
    expect([chat.made.length, talk.made.length]).toEqual([1, 1]);
    await configure(scratch, { chat: { token: 'b' }, talk: { token: 'x' } });
    expect([chat.made.length, talk.made.length]).toEqual([2, 1]);
    await expect(chat.made[0]?.says({ sender: 'ann' }, 'old')).rejects.toThrow(/not open/);
    scratch.model.script([reply('Still here.')]);
    await chat.made[1]?.says({ sender: 'ann' }, 'new');
    await chat.made[1]?.expectDelivered('Still here.', { sender: 'ann' });
    await configure(scratch, { talk: { token: 'x' } });
    const { channels, warnings } = await scratch.services.status();
    expect(channels.map(({ id }) => id)).not.toContain('chat');
    expect(warnings.filter((each) => /restart/.test(each))).toEqual([]);
  });

  it('that cannot be made, or never open, keep neither the others nor the gateway from starting', async () => {
    const [bad, slow, good] = [platform('bad'), platform('slow'), platform('good')];
    const scratch = await gatewayForTest({
      extensions: [bad, slow, good],
      config: { channels: { bad: { token: 'broken' }, slow: { token: 'slow' }, good: { token: 'a' } } },
    });
    scratch.model.script([reply('Good.')]);
    const channel = await opened(good);
    await channel.says({ sender: 'ann' }, 'Hello');
    await channel.expectDelivered('Good.', { sender: 'ann' });
    await expect.poll(() => scratch.warnings.join('\n'), { timeout: 20_000 }).toMatch(/The channel slow takes long/);
    const { channels } = await scratch.services.status();
    expect(channels.find(({ id }) => id === 'bad')?.accounts).toMatchObject([
      { state: 'failed', detail: 'The channel bad could not be opened: the library is broken' },
    ]);
    expect(scratch.warnings.join('\n')).toMatch(/The channel bad could not be opened/);
    expect(scratch.warnings.join('\n')).toMatch(/The channel slow takes long to open/);
  });

  it('answers for one that cannot be made wait, and are sent when it works', async () => {
    const chat = platform('chat');
    const scratch = await gatewayForTest({ extensions: [chat], config: { channels: { chat: { token: 'a' } } } });
    await opened(chat);
    await scratch.stop();
    await scratch.home.write(
      'openclaw.json',
      (await scratch.home.read('openclaw.json')).replace('"token":"a"', '"token":"broken"'),
    );
    await scratch.start();
    scratch.model.script([reply('For Ann.')]);
    await scratch.services.jobs.add({
      name: 'tell',
      message: 'Tell Ann',
      schedule: { at: 'in 1s' },
      deliver: 'chat:ann',
      createdBy: 'test',
    });
    await expect.poll(() => scratch.store.count('outbox', { status: 'queued' }), { timeout: 30_000 }).toBe(1);
    await configure(scratch, { chat: { token: 'b' } });
    await (await opened(chat, 1)).expectDelivered('For Ann.', { sender: 'ann' });
  });

  it('are closed and opened again on demand, with the same settings, and answers reach the new one', async () => {
    const [chat, talk] = [platform('chat'), platform('talk')];
    const scratch = await gatewayForTest({
      extensions: [chat, talk],
      config: { channels: { chat: { token: 'a' }, talk: { token: 'x' } } },
    });
    await opened(chat);
    await opened(talk);
    expect(await scratch.services.channels.reopen('chat')).toMatchObject([{ state: 'connected' }]);
    expect([chat.made.length, talk.made.length]).toEqual([2, 1]);
    await expect(chat.made[0]?.says({ sender: 'ann' }, 'old')).rejects.toThrow(/not open/);
    scratch.model.script([reply('Here again.')]);
    await chat.made[1]?.says({ sender: 'ann' }, 'new');
    await chat.made[1]?.expectDelivered('Here again.', { sender: 'ann' });
    await expect(scratch.services.channels.reopen('pigeon')).rejects.toThrow(/no account of a chat platform "pigeon"/);
  });

  it('with settings that cannot be used are named in the log and the status', async () => {
    const chat = platform('chat');
    const scratch = await gatewayForTest({ extensions: [chat], config: { channels: { chat: {} } } });
    expect(scratch.warnings).toContain('channels.chat has no token.');
    expect((await scratch.services.status()).warnings).toContain('channels.chat has no token.');
  });

  it('are not waited for at the start; an answer is planned when its channel is there', async () => {
    const loaded = gate();
    const chat = platform('chat');
    const slow: ExtensionRow = {
      ...chat,
      find: async (config, environment) => {
        const found = await chat.find(config, environment);
        return { ...found, load: () => loaded.opened.then(() => found.load()) };
      },
    };
    const scratch = await gatewayForTest({ extensions: [slow], config: { channels: { chat: { token: 'a' } } } });
    const { channels } = await scratch.services.status();
    expect(channels.find(({ id }) => id === 'chat')?.accounts).toMatchObject([{ state: 'connecting' }]);
    const long = 'word '.repeat(600);
    scratch.model.script([reply(long)]);
    const job = {
      name: 'tell',
      message: 'Tell Ann',
      schedule: { at: 'in 1s' },
      deliver: 'chat:ann',
      createdBy: 'test',
    };
    await scratch.services.jobs.add(job);
    await expect.poll(() => scratch.model.requests.length, { timeout: 20_000 }).toBe(1);
    loaded.open();
    const channel = await opened(chat);
    await expect.poll(() => channel.messages.map(({ text }) => text.trim()), { timeout: 20_000 }).toHaveLength(2);
    expect(
      channel.messages
        .map(({ text }) => text)
        .join('')
        .trim(),
    ).toBe(long.trim());
  });
});
