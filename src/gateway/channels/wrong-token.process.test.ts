// A platform that does not take a token, or that cannot be reached, keeps neither the other platforms nor the gateway
// from working, and the operator is told what to do.

import { expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { runAtrium } from '../../testkit/atrium-process.ts';
import type { FakePlatform } from '../../testkit/fake-platform.ts';
import { FAKE_PLATFORMS } from '../../testkit/fake-platforms.ts';
import { GatewayProcess } from '../../testkit/gateway-process.ts';
import { reply } from '../../testkit/model-server.ts';
import type { GatewayStatus } from '../services/gateway-status.ts';

const PATIENCE = { timeout: 45_000, interval: 50 };
const OPEN = { dmPolicy: 'open', allowFrom: ['*'], streaming: 'off' };

/** Tokens that look right, by platform, and what the operator is told to do about them. */
const WRONG: Readonly<Record<string, { readonly section: JsonObject; readonly nextStep: RegExp }>> = {
  telegram: { section: { botToken: `4242:${'A'.repeat(35)}` }, nextStep: /BotFather|channels login telegram|botToken/ },
  discord: { section: { token: `MTA${'b'.repeat(23)}.Gx.${'c'.repeat(38)}` }, nextStep: /Developer Portal/ },
  slack: { section: { botToken: 'xoxb-1-2-wrong' }, nextStep: /api\.slack\.com/ },
};

async function withPlatforms(
  change: (platform: FakePlatform) => JsonObject,
  test: (gateway: GatewayProcess, platforms: readonly FakePlatform[]) => Promise<void>,
): Promise<void> {
  const platforms = await Promise.all(Object.values(FAKE_PLATFORMS).map(async (load) => (await load())(['Ann'])));
  const sections = platforms.map((each) => [each.id, { ...OPEN, ...each.section, ...change(each) }]);
  const gateway = await GatewayProcess.create({ config: configOf(Object.fromEntries(sections)) });
  gateway.model.script(() => reply('I am here.'));
  try {
    expect(await gateway.start()).toBe('ready');
    await test(gateway, platforms);
  } finally {
    await gateway.close();
    await Promise.all(platforms.map((each) => each.stop()));
  }
}

function configOf(channels: JsonObject): Record<string, unknown> {
  return {
    agents: { defaults: { model: 'fake/small', skipBootstrap: true } },
    gateway: { auth: { token: 'a-token-for-tests-only' } },
    channels,
  };
}

async function accountsOf(gateway: GatewayProcess) {
  const { channels } = await gateway.json<GatewayStatus>('/api/status');
  return Object.fromEntries(channels.flatMap(({ id, accounts = [] }) => accounts.map((account) => [id, account])));
}

async function answers(platform: FakePlatform): Promise<void> {
  const [direct] = platform.places();
  await platform.says(direct?.id ?? '', 'Are you there?');
  await expect.poll(() => platform.shown(direct?.id ?? '').at(-1)?.text, PATIENCE).toBe('I am here.');
}

it.each(Object.keys(WRONG))('a wrong token of %s is said with the next step, and the others work', async (wrong) => {
  const { section, nextStep } = WRONG[wrong] ?? { section: {}, nextStep: /never/ };
  const change = ({ id }: FakePlatform) => (id === wrong ? section : {});
  await withPlatforms(change, async (gateway, platforms) => {
    const states = async () =>
      Object.fromEntries(Object.entries(await accountsOf(gateway)).map(([id, { state }]) => [id, state]));
    const expected = platforms.map(({ id }) => [id, id === wrong ? 'failed' : 'connected']);
    await expect.poll(states, PATIENCE).toEqual(Object.fromEntries(expected));
    for (const platform of platforms) if (platform.id !== wrong) await answers(platform);
    const { code, out, err } = await runAtrium(['channels', 'status'], { home: gateway.home.home });
    // A script learns from the code that an account has failed.
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(new RegExp(`${wrong}.*failed`));
    expect(out.replace(/\s+/g, ' ')).toMatch(nextStep);
    for (const token of Object.values(section)) expect(out + gateway.out + gateway.err).not.toContain(String(token));
  });
}, 120_000);

it('platforms that cannot be reached are tried again, and the others work', async () => {
  // Nothing listens on this port.
  const gone = { apiRoot: 'http://127.0.0.1:9' };
  const change = ({ id }: FakePlatform) => (id === 'slack' ? {} : gone);
  await withPlatforms(change, async (gateway, platforms) => {
    const slack = platforms.find(({ id }) => id === 'slack') as FakePlatform;
    await expect.poll(async () => (await accountsOf(gateway)).slack?.state, PATIENCE).toBe('connected');
    await answers(slack);
    const { telegram, discord } = await accountsOf(gateway);
    expect([telegram?.state, discord?.state]).toEqual(['connecting', 'connecting']);
    expect(telegram?.detail).toBeDefined();
    expect(discord?.detail).toBeDefined();
  });
}, 120_000);
