// Telegram in a whole gateway: the real client library, the real store and delivery, a model on loopback, and people who
// write on the Telegram of the testkit. What the channel promises by itself is tested beside it.

import { describe, expect, it, onTestFinished } from 'vitest';
import type { FakePlatform } from '../../src/testkit/fake-platform.ts';
import { gatewayForTest } from '../../src/testkit/gateway-for-test.ts';
import { reply, toolCall } from '../../src/testkit/model-server.ts';
import { openTelegramPlatform } from '../../src/testkit/telegram/telegram-platform.ts';

async function open(settings: object = {}) {
  const telegram = await openTelegramPlatform(['Ann', 'Ben']);
  onTestFinished(() => telegram.stop());
  const open = { dmPolicy: 'open', allowFrom: ['*'], groupPolicy: 'open', groupAllowFrom: ['*'] };
  const config = { channels: { telegram: { ...telegram.section, ...open, ...settings } } };
  const scratch = await gatewayForTest({ config, channel: { id: 'unused' } });
  const [ann, ben, group] = telegram.places();
  return { telegram, scratch, ann: ann?.id ?? '', ben: ben?.id ?? '', group: group?.id ?? '' };
}

async function answered(telegram: FakePlatform, place: string, ...texts: readonly string[]): Promise<void> {
  const said = () =>
    telegram
      .shown(place)
      .filter(({ isBot }) => isBot)
      .map(({ text }) => text);
  await expect.poll(said, { timeout: 45_000 }).toEqual(texts);
}

describe('Telegram in a gateway', () => {
  it('brings a message to the agent, and the answer back, in direct chats and groups', async () => {
    const { telegram, scratch, ann, group } = await open();
    scratch.model.script([reply('Hello **Ann**.'), reply('Hello all.')]);
    await telegram.says(ann, 'Hello');
    await answered(telegram, ann, 'Hello Ann.');
    await telegram.says(group, 'Hello', { person: 'Ben' });
    await answered(telegram, group, 'Hello all.');
    const { channels } = await scratch.services.status();
    expect(channels.find(({ id }) => id === 'telegram')?.accounts).toMatchObject([
      { state: 'connected', name: '@atrium_bot' },
    ]);
  });

  it('answers every message once, with repeated events, lost connections, limits and a restart', async () => {
    const { telegram, scratch, ann, ben } = await open({ streaming: 'off' });
    scratch.model.script(['one', 'two', 'three', 'four'].map((text) => reply(text)));
    await telegram.says(ann, '1');
    await answered(telegram, ann, 'one');
    telegram.suffer('repeat');
    telegram.suffer('disconnect');
    telegram.suffer('limit');
    await telegram.says(ann, '2');
    await answered(telegram, ann, 'one', 'two');
    await scratch.stop();
    await telegram.says(ann, '3');
    await scratch.start();
    await answered(telegram, ann, 'one', 'two', 'three');
    telegram.suffer('break');
    await telegram.says(ben, '4');
    await answered(telegram, ben, 'four');
    expect(await scratch.store.count('inbox', {})).toBe(4);
  });

  it('asks an unknown person for a code, and the person reaches no model', async () => {
    const { telegram, scratch, ann } = await open({ dmPolicy: 'pairing', allowFrom: [] });
    await telegram.says(ann, 'Hello');
    await expect.poll(() => telegram.shown(ann).filter(({ isBot }) => isBot).length, { timeout: 45_000 }).toBe(1);
    expect(scratch.model.requests).toEqual([]);
  });

  it('asks for an approval with buttons, and the press is the answer', async () => {
    const { telegram, scratch, ann } = await open({ streaming: 'off' });
    scratch.model.script([toolCall('exec', { command: 'echo hi' }), reply('I may not.')]);
    await telegram.says(ann, 'Say hi');
    const question = () => telegram.shown(ann).find(({ buttons }) => buttons.includes('Deny'));
    await expect.poll(question, { timeout: 45_000 }).toBeDefined();
    await telegram.presses(ann, question()?.id ?? '', 'Deny');
    await expect.poll(() => telegram.shown(ann).at(-1)?.text, { timeout: 45_000 }).toBe('I may not.');
  });
});
