// A whole gateway on the fake Discord: its configuration, the real client library, and people on the other side.

import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { openDiscordPlatform } from '../../src/testkit/discord/discord-platform.ts';
import type { FakePlace } from '../../src/testkit/fake-platform.ts';
import { gatewayForTest } from '../../src/testkit/gateway-for-test.ts';
import { reply } from '../../src/testkit/model-server.ts';

async function gatewayOnDiscord(settings: JsonObject = {}) {
  const platform = await openDiscordPlatform(['Ann', 'Bob']);
  onTestFinished(() => platform.stop());
  const rules = { dmPolicy: 'open', allowFrom: ['*'], guilds: { '*': {} }, streaming: 'off' };
  const scratch = await gatewayForTest({
    config: { channels: { discord: { ...platform.section, ...rules, ...settings } } },
  });
  await expect.poll(async () => JSON.stringify(await scratch.services.status())).toContain('"state":"connected"');
  const placeOf = (kind: FakePlace['kind']) => platform.places().find((place) => place.kind === kind)?.id ?? '';
  const answers = (placeId: string) =>
    platform
      .shown(placeId)
      .filter(({ isBot }) => isBot)
      .map(({ text }) => text);
  const answered = (kind: FakePlace['kind'], text: string) => expect.poll(() => answers(placeOf(kind))).toContain(text);
  return { platform, scratch, placeOf, answers, answered };
}

describe('a gateway on Discord', () => {
  it('answers direct messages and mentions, each where it was asked', async () => {
    const { platform, scratch, placeOf, answers, answered } = await gatewayOnDiscord();
    scratch.model.script([reply('Hello Ann.'), reply('Hello all.')]);
    await platform.says(placeOf('direct'), 'hello');
    await answered('direct', 'Hello Ann.');
    await platform.says(placeOf('group'), 'hello');
    await answered('group', 'Hello all.');
    expect(answers(placeOf('direct'))).toEqual(['Hello Ann.']);
    expect(answers(placeOf('group'))).toEqual(['Hello all.']);
  });

  it('answers once, whatever goes wrong on the way', async () => {
    const { platform, scratch, placeOf, answers, answered } = await gatewayOnDiscord();
    const place = placeOf('direct');
    for (const fault of ['withhold', 'limit', 'break', 'disconnect', 'repeat'] as const) {
      scratch.model.script([reply(`After ${fault}.`)]);
      platform.suffer(fault);
      await platform.says(place, `try ${fault}`);
      await answered('direct', `After ${fault}.`);
    }
    expect(answers(place)).toEqual([
      'After withhold.',
      'After limit.',
      'After break.',
      'After disconnect.',
      'After repeat.',
    ]);
  });

  it('answers in a thread of its own where autoThread is set, and the thread is its own session', async () => {
    const { platform, scratch, placeOf, answers, answered } = await gatewayOnDiscord({ autoThread: true });
    scratch.model.script([reply('Let us see.'), reply('And now.')]);
    await platform.says(placeOf('group'), 'plan the trip');
    await answered('thread', 'Let us see.');
    await platform.says(placeOf('thread'), 'go on');
    await answered('thread', 'And now.');
    expect(answers(placeOf('group'))).toEqual([]);
    const sessions = await scratch.services.sessions.list({ limit: 10 });
    expect(JSON.stringify(sessions)).toContain(`agent:main:discord:channel:${placeOf('thread')}`);
  });
});
