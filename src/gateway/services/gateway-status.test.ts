import { expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';

it('tells how the accounts of a channel are, where the channel says so', async () => {
  const scratch = await gatewayForTest({ channel: { accounts: ['work', 'home'], can: ['accounts'] } });
  const { channels } = await scratch.services.status();
  expect(channels.find(({ id }) => id === 'test')?.accounts).toEqual([
    { accountId: 'work', state: 'connected' },
    { accountId: 'home', state: 'connected' },
  ]);
  expect(channels.find(({ id }) => id === 'web')).not.toHaveProperty('accounts');
});
