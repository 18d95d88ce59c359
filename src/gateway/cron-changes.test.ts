import { expect, it } from 'vitest';
import type { HookContext } from '../hooks/hook-context.ts';
import { runTrace } from '../hooks/hook-trace.ts';
import type { CronChangedEvent, GatewayHookContext } from '../hooks/lifecycle-hooks.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { fail, reply } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';

const MINUTE = 60_000;

async function watched() {
  const told: { event: CronChangedEvent; context: HookContext & GatewayHookContext }[] = [];
  const clock = { now: Date.parse('2026-05-06T10:00:00Z') };
  const scratch = await gatewayForTest({
    now: () => clock.now,
    register: (hooks) => on(hooks, 'cron_changed', 'watch', (event, context) => void told.push({ event, context })),
  });
  const expectTold = (...actions: readonly string[]) =>
    expect.poll(() => told.map(({ event }) => event.action)).toEqual(actions);
  const pass = async (minutes: number) => {
    clock.now += minutes * MINUTE;
    await scratch.opened.schedule.schedule.look();
  };
  return { scratch, told, pass, clock, expectTold };
}

it('tells six kinds of change in their order, with the job as it is and where everything is', async () => {
  const { scratch, told, pass, clock, expectTold } = await watched();
  scratch.model.script([reply('Water them.')]);
  const began = clock.now;
  const draft = { name: 'plants', message: 'Look after the plants.', schedule: { every: '10m' }, createdBy: 'test' };
  const { id } = await scratch.services.jobs.add({ ...draft, deliver: 'test:ana' });
  await scratch.services.jobs.edit(id, { name: 'garden' });
  await pass(10);
  await expectTold('added', 'updated', 'scheduled', 'started', 'finished');
  await scratch.services.jobs.remove(id);
  await expectTold('added', 'updated', 'scheduled', 'started', 'finished', 'removed');

  for (const { event, context } of told) {
    expect(event).toMatchObject({ jobId: id, agentId: 'main', sessionTarget: 'isolated', job: { id, enabled: true } });
    expect(context).toMatchObject({
      agentId: 'main',
      jobId: id,
      workspaceDir: scratch.workspaceDir,
      config: { agents: { defaults: { model: 'fake/small' } } },
      getCron: expect.any(Function),
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  }
  const [added, , scheduled, started, finished, removed] = told;
  expect(added?.event.job?.state).toEqual({ nextRunAtMs: began + 10 * MINUTE });
  expect(scheduled?.event.job?.state?.nextRunAtMs).toBe(began + 20 * MINUTE);
  const [run] = await scratch.store.select('runs');
  const runId = run?.runId ?? '';
  expect(started?.event.job?.state?.nextRunAtMs).toBe(began + 20 * MINUTE);
  expect(started?.context).toMatchObject({ runId, sessionKey: run?.sessionKey, trace: runTrace(runId) });
  expect(finished?.event).toMatchObject({
    runId,
    status: 'ok',
    summary: 'Water them.',
    delivered: true,
    deliveryStatus: 'delivered',
    nextRunAtMs: began + 20 * MINUTE,
    provider: 'fake',
    model: 'small',
  });
  // The job is removed, and is told as it was.
  expect(removed?.event.job).toMatchObject({
    name: 'garden',
    payload: { kind: 'agentTurn', message: 'Look after the plants.' },
    state: { lastRunStatus: 'ok', lastDeliveryStatus: 'delivered' },
  });
});

it('tells what went wrong last time', async () => {
  const { scratch, told, pass, expectTold } = await watched();
  scratch.model.script([fail(400, { message: 'no such thing' })]);
  const draft = { name: 'plants', message: 'Look.', schedule: { every: '10m' }, createdBy: 'test' };
  const { id } = await scratch.services.jobs.add(draft);
  await pass(10);
  await expectTold('added', 'scheduled', 'started', 'finished');
  expect(told.at(-1)?.event).toMatchObject({ status: 'error', delivered: false, deliveryStatus: 'not-requested' });
  await scratch.services.jobs.edit(id, { name: 'again' });
  await expectTold('added', 'scheduled', 'started', 'finished', 'updated');
  expect(told.at(-1)?.event.job?.state).toMatchObject({
    lastRunStatus: 'error',
    lastError: expect.stringContaining('no such thing'),
  });
});
