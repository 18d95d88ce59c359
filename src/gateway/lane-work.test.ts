import { expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { hang, reply, toolCall } from '../testkit/model-server.ts';

it('a child whose task was ended does not go on when its run is taken up after a crash', async () => {
  const scratch = await gatewayForTest();
  scratch.model.script((request) => {
    if (/Subagent Task/.test(request.body)) return hang('So far');
    return /"role":"tool"|accepted/.test(request.body)
      ? reply('Handed over.')
      : toolCall('sessions_spawn', { task: 'Wait.' });
  });
  await scratch.channel.says({}, 'Begin');
  await scratch.channel.expectDelivered('Handed over.');
  const ofChild = () => scratch.model.requests.filter(({ body }) => /Subagent Task/.test(body)).length;
  await expect.poll(ofChild, { timeout: 20_000 }).toBe(1);
  const [child] = await scratch.store.select('children', {});
  const childKey = child?.childKey ?? '';
  // The process dies after the child was ended, and before its run was stopped.
  await scratch.store.commit(
    [
      {
        update: 'children',
        where: { childKey },
        set: { ending: 'timeout', endedAt: 1, outcome: 'timeout', isAnswered: true },
      },
    ],
    { site: 'child-end' },
  );
  await scratch.stop(0);
  await scratch.start();
  const statusOf = async () => (await scratch.store.select('runs', { where: { sessionKey: childKey } }))[0]?.status;
  await expect.poll(statusOf, { timeout: 20_000 }).toBe('stopped');
  expect(ofChild()).toBe(1);
});
