import { expect, test } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { fail } from '../testkit/model-server.ts';

test('a bug is told to the surface without details, and to the log with its stack', async () => {
  const scratch = await gatewayForTest({
    sleep: async () => {
      throw new TypeError('the clock has no hands');
    },
  });
  scratch.model.script([fail(529)]);
  const surface = { channel: 'api', accountId: 'default', peer: { kind: 'direct' as const, id: 'ana' } };
  const { runId } = await scratch.services.inbox.receive({ surface, sender: { id: 'ana' }, text: 'hello', at: 0 });
  const run = await scratch.services.runs.wait(runId);
  expect(run).toMatchObject({
    status: 'failed',
    outcome: { error: 'Something went wrong inside the gateway; its log says what.', errorCode: 'ATRIUM_RUN_FAILED' },
  });
  const [logged = ''] = scratch.warnings.filter((warning) => warning.includes(runId));
  expect(logged).toContain('TypeError: the clock has no hands');
  expect(logged).toMatch(/\n +at .*end-failed\.test\.ts/);
});
