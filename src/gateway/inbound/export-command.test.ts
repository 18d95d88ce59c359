import { expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';
import { openBundle } from '../bundle/open-bundle.ts';

it('/export-trajectory writes the session for the operator, and for nobody else', async () => {
  const scratch = await gatewayForTest();
  scratch.model.script([reply('Hello.')]);
  await scratch.channel.asks({}, 'Hi', 'Hello.');
  await scratch.channel.asks({}, '/export-trajectory', /Only the operator may/);

  const [run] = await scratch.store.select('runs');
  const surface = { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'tab-1' } } as const;
  const sender = { id: 'tab-1' };
  const inbound = { surface, sender, text: '/export-trajectory', at: Date.now(), sessionKey: run?.sessionKey };
  const { runId } = await scratch.services.inbox.receive(inbound);
  const [answer] = await scratch.store.select('outbox', { where: { runId } });
  expect(answer?.text).toMatch(/written to \S+: \d+ runs?, without/);
  const dir = /written to (\S+):/.exec(answer?.text ?? '')?.[1] ?? '';
  const { manifest, problems } = await openBundle(dir);
  expect(problems).toEqual([]);
  expect(manifest).toMatchObject({
    sessionKey: run?.sessionKey,
    runs: expect.arrayContaining([expect.objectContaining({ runId: run?.runId, status: 'done' })]),
  });
});
