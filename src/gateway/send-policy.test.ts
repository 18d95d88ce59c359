import { describe, expect, it, vi } from 'vitest';
import { isSendDenied } from '../config/send-policy.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';

describe('session.sendPolicy', () => {
  it('keeps an answer from being sent, and says what kept it; elsewhere answers are sent', async () => {
    const sendPolicy = { default: 'allow', rules: [{ action: 'deny', match: { channel: 'test', chatType: 'group' } }] };
    const { model, channel, store } = await gatewayForTest({ config: { session: { sendPolicy } } });
    model.script([reply('Not for all.'), reply('For you.')]);
    await channel.says({ group: 'all', sender: 'ana' }, 'Tell us');
    const kept = () => store.select('outbox', { where: { status: 'suppressed' } });
    await vi.waitFor(async () => expect(await kept()).toHaveLength(1));
    await channel.asks({ sender: 'ana' }, 'Tell me', 'For you.');
    expect(channel.shown()).toEqual(['For you.']);
    expect((await kept())[0]?.receipt).toMatchObject({
      suppressed: { by: 'session.sendPolicy', cancelReason: 'session.sendPolicy denies it' },
    });
  });

  const session = { sessionKey: 'agent:main:discord:group:42', channel: 'discord' };
  const deny = (match: Readonly<Record<string, string>>) => ({ action: 'deny' as const, match });
  const allow = (match: Readonly<Record<string, string>>) => ({ action: 'allow' as const, match });

  it.each([
    ['nothing is said', {}, false],
    ['the default denies', { default: 'deny' as const }, true],
    [
      'a rule allows what the default denies',
      { default: 'deny' as const, rules: [allow({ channel: 'Discord' })] },
      false,
    ],
    ['no rule is about it', { default: 'deny' as const, rules: [allow({ channel: 'slack' })] }, true],
    [
      'one rule denies and another allows',
      { rules: [allow({ channel: 'discord' }), deny({ chatType: 'group' })] },
      true,
    ],
    ['it is about direct messages', { rules: [deny({ chatType: 'dm' })] }, false],
    ['the key begins so', { rules: [deny({ keyPrefix: 'discord:' })] }, true],
    ['the whole key begins so', { rules: [deny({ rawKeyPrefix: 'agent:main:disc' })] }, true],
    ['the whole key does not begin so', { rules: [deny({ rawKeyPrefix: 'discord:' })] }, false],
    ['a rule names nothing', { rules: [deny({})] }, true],
  ])('decides as OpenClaw does when %s', (_, policy, isDenied) => {
    expect(isSendDenied(policy, session)).toBe(isDenied);
  });
});
