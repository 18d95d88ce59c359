// What people are shown of limits on spending: over the API, in the chat and in the status.

import { expect, it, vi } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';

const MODELS = [{ id: 'small', maxTokens: 100, cost: { input: 1, output: 10 } }, { id: 'odd' }];

it('shows every limit with its counters, the fullest first', async () => {
  const scratch = await gatewayForTest({
    provider: { models: MODELS },
    config: {
      agents: { defaults: { model: 'fake/small', userTimezone: 'Europe/Berlin' } },
      limits: {
        spend: [
          { sender: '*', per: 'day', tokens: 100_000 },
          { agent: 'main', per: 'month', money: 5, onReached: { model: 'fake/odd' } },
        ],
      },
    },
  });
  scratch.model.script([reply('Ann.'), reply('Bob.', { usage: { input: 84_995 } })]);
  await scratch.channel.asks({ sender: 'ann' }, 'Hi', 'Ann.');
  await scratch.channel.asks({ sender: 'bob' }, 'Hi', 'Bob.');
  await vi.waitFor(async () => {
    const { timezone, limits } = await scratch.services.spending();
    expect(timezone).toBe('Europe/Berlin');
    expect(limits).toMatchObject([
      {
        setting: 'limits.spend[0]',
        sender: '*',
        counters: [
          { sender: 'test:bob', spentTokens: 85_000, reservedTokens: 0, share: 0.85 },
          { sender: 'test:ann', spentTokens: 15, share: 0.000_15 },
        ],
        more: 0,
      },
      {
        agent: 'main',
        per: 'month',
        money: 5,
        cheaper: 'fake/odd',
        counters: [{ spentMoney: 0.085_105, unpriced: 0 }],
      },
    ]);
  });

  await scratch.channel.says({ sender: 'bob' }, '/status');
  const { text } = await scratch.channel.expectDelivered(/^Limit:/m);
  expect(text).toMatch(
    /^Limit: 85,000 of 100,000 tokens spent per day for the sender "test:bob" \(85 %\); anew on \d{4}-\d\d-\d\d at 00:00 \(Europe\/Berlin\)$/m,
  );
  expect(text).toMatch(/^Limit: 0\.0851 of 5\.00 spent per month for the agent "main" \(1 %\)/m);

  const { warnings } = await scratch.services.status();
  expect(warnings).toContainEqual(expect.stringMatching(/^85 % of limits\.spend\[0\] is spent \(sender test:bob, /));
  expect(warnings).toContainEqual(
    expect.stringMatching(/limits\.spend\[1\] limits money, and the price of fake\/odd is not known/),
  );
});

it('is empty without limits', async () => {
  const scratch = await gatewayForTest();
  expect(await scratch.services.spending()).toEqual({ timezone: 'UTC', limits: [] });
});
