import { expect, it } from 'vitest';
import type { GatewayHookContext } from '../hooks/lifecycle-hooks.ts';
import type { JsonObject } from '../protocol/json.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { on } from '../testkit/on.ts';

interface CronService {
  list(): Promise<readonly JsonObject[]>;
  add(job: JsonObject): Promise<JsonObject>;
  update(id: string, patch: JsonObject): Promise<JsonObject>;
  remove(id: string): Promise<JsonObject>;
}

it('handlers of gateway_start know the configuration, the workspace and the jobs', async () => {
  const told: [string, GatewayHookContext][] = [];
  const scratch = await gatewayForTest({
    register: (hooks) => {
      on(hooks, 'gateway_start', 'service', ({ port }, context) => void told.push([`starts at ${port}`, context]));
      on(hooks, 'gateway_stop', 'service', ({ reason }, context) => void told.push([`stops for ${reason}`, context]));
    },
  });
  await scratch.opened.listensAt('http://127.0.0.1:18999');
  const [what, context] = told[0] ?? [];
  expect(what).toBe('starts at 18999');
  expect(context).toMatchObject({
    port: 18_999,
    config: { agents: { defaults: { model: 'fake/small' } } },
    workspaceDir: scratch.workspaceDir,
  });
  const cron = context?.getCron?.() as CronService;
  const job = await cron.add({
    name: 'sync',
    schedule: { kind: 'cron', expr: '0 9 * * *' },
    payload: { text: 'Sync.' },
  });
  expect(await cron.list()).toMatchObject([
    { id: job.id, name: 'sync', schedule: { kind: 'cron', expr: '0 9 * * *' } },
  ]);
  await cron.update(String(job.id), { enabled: false });
  expect(await cron.list()).toMatchObject([{ enabled: false }]);
  expect(await cron.remove(String(job.id))).toEqual({ removed: true });
  await scratch.opened.close(1_000, 'restart');
  expect(told[1]).toMatchObject(['stops for restart', { workspaceDir: scratch.workspaceDir }]);
});
