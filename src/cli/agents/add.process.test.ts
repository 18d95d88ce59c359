// An agent that is added beside a running gateway: it answers at once, and nothing was started again.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayProcess } from '../../testkit/gateway-process.ts';
import { reply } from '../../testkit/model-server.ts';
import { CliHome } from '../fixtures/cli-home.ts';

let gateway: GatewayProcess;
let home: CliHome;
beforeAll(async () => {
  gateway = await GatewayProcess.create();
  home = new CliHome(gateway.home.home);
  expect(await gateway.start()).toBe('ready');
}, 60_000);
afterAll(() => gateway.close());

const agentsOf = async () =>
  (await gateway.json<{ agents: { agentId: string }[] }>('/api/status')).agents.map(({ agentId }) => agentId);

it('answers at once, with its own workspace', async () => {
  const { pid } = gateway;
  const added = await home.run(['agents', 'add', 'ops']);
  expect(added.code).toBe(0);
  expect(added.out).toContain('The running gateway has taken it up.');
  gateway.model.script([reply('ops is here')]);
  const answer = await home.run(['agent', '--agent', 'ops', '--message', 'Are you there?']);
  expect(answer).toMatchObject({ code: 0, out: expect.stringContaining('ops is here') });
  expect(await agentsOf()).toEqual(['main', 'ops']);
  const { data } = await gateway.json<{ data: { id: string }[] }>('/v1/models');
  expect(data.map(({ id }) => id)).toContain('atrium/ops');
  expect(gateway.pid).toBe(pid);
  expect((await home.run(['status'])).out).not.toContain('next start');
});

it('lets go of it when it is taken out again', async () => {
  await home.run(['config', 'unset', 'agents.list']);
  expect(await agentsOf()).toEqual(['main']);
});

it('says that a change of an agent that was there waits, and takes up the new one beside it', async () => {
  const { out } = await home.run(['agents', 'add', 'writer', '--default']);
  expect(out).toContain('The running gateway takes it up at its next start: agents.list[1].default.');
  expect(await agentsOf()).toEqual(['main', 'writer']);
  expect((await home.run(['status'])).out).toContain('agents.list');
});
