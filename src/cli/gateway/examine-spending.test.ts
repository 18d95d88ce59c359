import { expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';
import { runInHome } from '../fixtures/run-in-home.ts';

it('names the limits that are reached and those that nearly are, and what follows from it', async () => {
  const scratch = await gatewayForTest({
    provider: { models: [{ id: 'small', maxTokens: 100 }, { id: 'other' }] },
    config: {
      limits: {
        spend: [
          { per: 'day', tokens: 100_000 },
          { per: 'month', tokens: 100_000, onReached: { model: 'fake/other' } },
          { agent: 'main', per: 'day', tokens: 140_000 },
          { agent: 'main', per: 'month', tokens: 100_000_000 },
        ],
      },
    },
  });
  scratch.model.script([reply('Dear.', { usage: { input: 110_000, output: 10_000 } })]);
  await scratch.channel.asks({ sender: 'owner' }, 'Hi', 'Dear.');
  await scratch.stop();

  const settings = { now: new Date(), pipeColumns: 1_000 };
  const { code, out } = await runInHome(scratch.home.home, ['doctor'], settings);
  expect(code).toBe(1);
  expect(out).toMatch(/^spending +1 wrong +4 limits, 2 reached$/m);
  expect(out).toMatch(
    /wrong: limits\.spend\[0\] \(all, day [\d-]+\) has come to 120 % and begins anew at [\d-]+ 00:00:00, so calls are refused\./,
  );
  expect(out).toMatch(/note: limits\.spend\[1\] \(all, month [\d-]+\) has come to 120 % .*, so fake\/other answers/);
  expect(out).toMatch(
    /note: limits\.spend\[2\] \(agent main, day [\d-]+\) has come to 85 % .* 00:00:00\. Calls are refused when/,
  );
  expect(out).not.toContain('limits.spend[3] (');
});
