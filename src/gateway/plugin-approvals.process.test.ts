// Questions of a plugin: they survive a restart of the process, and the removal of the plugin.

import { describe, expect, it } from 'vitest';
import type { ApprovalRow } from '../store/tables.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall, toolCalls } from '../testkit/model-server.ts';
import { pluginFiles } from '../testkit/plugin-files.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';
import { recordingTool } from '../testkit/tool-for-test.ts';

describe.each(['worker', 'inline'] as const)('a question of a plugin in the %s', (isolation) => {
  it('is asked once, and answered across a restart', async () => {
    const { scratch, ran } = await open(isolation);
    scratch.model.script([toolCall('stamp', { text: 'red' }), reply('Stamped.')]);
    await scratch.channel.asks({}, 'Stamp it', /^Approval needed: Use the stamp \(asked for by careful\)/);
    await scratch.stop();
    await scratch.start();
    const [{ id } = { id: '' }] = await waiting(scratch);
    await scratch.services.approvals.answer(id, 'allow-once', { by: 'api' });
    await scratch.channel.expectDelivered(/allowed once by api/);
    await scratch.channel.expectDelivered('Stamped.');
    expect(ran).toEqual([{ text: 'soft red' }]);
    await expect.poll(() => scratch.home.read('told.txt').catch(() => '')).toBe('allow-once\n');
    expect(await scratch.store.count('approvals')).toBe(1);
  });

  it('that no person answers is denied, also when the plugin is gone by then', async () => {
    const { scratch, ran, clock } = await open(isolation);
    scratch.model.script([toolCall('stamp', { text: 'red' }), reply('Then not.')]);
    await scratch.channel.asks({}, 'Stamp it', /^Approval needed/);
    await disable(scratch);
    clock.now += 3_600_000;
    await scratch.stop();
    await scratch.start();
    await scratch.channel.expectDelivered(/denied, because nobody answered in time/);
    await scratch.channel.expectDelivered('Then not.');
    expect(ran).toEqual([]);
  });

  it('goes on waiting when the plugin is gone and another question of the same step was answered', async () => {
    const { scratch, ran } = await open(isolation);
    const calls = [
      { name: 'stamp', params: { text: 'red' } },
      { name: 'stamp', params: { text: 'blue' } },
    ];
    scratch.model.script([toolCalls(calls), reply('One of them.')]);
    await scratch.channel.asks({}, 'Stamp both', /^Approval needed/);
    await scratch.channel.expectDelivered(/^Approval needed/);
    const [first, second] = await waiting(scratch);
    await disable(scratch);
    await scratch.services.approvals.answer(first?.id ?? '', 'deny', { by: 'api' });
    await scratch.channel.expectDelivered(/denied by api/);
    await expect.poll(() => scratch.store.count('inbox', { kind: 'approval', status: 'queued' })).toBe(0);
    await expect.poll(async () => (await scratch.services.status()).running).toEqual([]);
    expect(await scratch.store.count('runs', { status: 'suspended' })).toBe(1);
    expect((await waiting(scratch)).map(({ id }) => id)).toEqual([second?.id]);
    await scratch.services.approvals.answer(second?.id ?? '', 'deny', { by: 'api' });
    await scratch.channel.expectDelivered(/denied by api/);
    await scratch.channel.expectDelivered('One of them.');
    expect(ran).toEqual([]);
  });

  it('that was allowed lets nothing else run when the plugin, which had changed the call, is gone', async () => {
    const { scratch, ran } = await open(isolation);
    scratch.model.script([toolCall('stamp', { text: 'red' }), reply('Then not.')]);
    await scratch.channel.asks({}, 'Stamp it', /^Approval needed/);
    const [{ id } = { id: '' }] = await waiting(scratch);
    await disable(scratch);
    await scratch.services.approvals.answer(id, 'allow-once', { by: 'api' });
    await scratch.channel.expectDelivered(/allowed once by api/);
    await scratch.channel.expectDelivered('Then not.');
    expect(ran).toEqual([]);
    expect(scratch.model.requests.at(-1)?.body.includes('is not what was allowed')).toBe(true);
  });
});

/** Changes the parameters of every call of the stamp, and asks for an approval. */
const CAREFUL = `
const { appendFileSync } = process.getBuiltinModule('node:fs');
api.on('before_tool_call', ({ params }) => ({
  params: { text: 'soft ' + params.text },
  requireApproval: {
    title: 'Use the stamp',
    description: 'It leaves a mark.',
    onResolution: (decision) => appendFileSync(api.pluginConfig.told, decision + '\\n'),
  },
}));
`;

async function open(isolation: 'worker' | 'inline') {
  const clock = { now: Date.parse('2026-05-08T12:00:00Z') };
  const stamp = recordingTool('stamp', 'Done.');
  const scratch = await gatewayForTest({
    files: pluginFiles('careful', CAREFUL),
    tools: [stamp],
    now: () => clock.now,
    config: { plugins: { enabled: false } },
  });
  const config = JSON.parse(await scratch.home.read('openclaw.json'));
  const told = `${scratch.home.stateDir}/told.txt`;
  const plugins = { entries: { careful: { isolation, config: { told } } } };
  await scratch.home.write('openclaw.json', JSON.stringify({ ...config, plugins }));
  await scratch.services.plugins.reload('careful');
  return { scratch, ran: stamp.ran, clock };
}

async function disable(scratch: ScratchGateway): Promise<void> {
  const config = JSON.parse(await scratch.home.read('openclaw.json'));
  await scratch.home.write('openclaw.json', JSON.stringify({ ...config, plugins: { enabled: false } }));
  expect(await scratch.services.plugins.reload('careful')).toMatchObject({ state: 'disabled' });
}

async function waiting({ store }: ScratchGateway): Promise<readonly ApprovalRow[]> {
  return store.select('approvals', { where: { status: 'waiting' }, orderBy: [['seq', 'asc']] });
}
