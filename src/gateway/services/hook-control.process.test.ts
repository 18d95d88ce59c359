import { expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';
import { pluginFiles } from '../../testkit/plugin-files.ts';

const PLUGIN = `
  api.on('message_received', () => {}, { priority: 7 });
  api.on('message_sending', () => new Promise(() => {}), { timeoutMs: 5 });
  api.on('agent_end', () => {});
  api.on('subagent_spawned', () => {});
`;

const open = (changes: Record<string, string> = {}) =>
  gatewayForTest({
    files: { ...pluginFiles('mixed', PLUGIN), ...pluginFiles('broken', "throw new Error('never');"), ...changes },
    config: {
      agents: { defaults: { model: 'fake/small' } },
      plugins: { entries: { mixed: { isolation: 'inline' }, broken: { isolation: 'inline' } } },
    },
  });

it('lists every handler with its state, the reason and how its calls went', async () => {
  const scratch = await open({
    'hooks/diary/HOOK.md': '---\nname: diary\nmetadata: {"openclaw":{"events":["message","agent:bootstrap"]}}\n---\n',
    'hooks/diary/handler.ts': 'export default () => {}',
    'hooks/needy/HOOK.md':
      '---\nname: needy\nmetadata: {"openclaw":{"events":["command:new"],"requires":{"env":["NOBODY_SETS_THIS"]}}}\n---\n',
    'hooks/needy/handler.ts': 'export default () => {}',
  });
  scratch.model.script([reply('Hello.')]);
  await scratch.channel.asks({}, 'Hi', 'Hello.');
  await scratch.hooks.drain(1_000);
  const row = async (owner: string, hook: string) => {
    const { handlers } = await scratch.services.hooks.status();
    return handlers.find((each) => each.owner === owner && each.hook === hook);
  };
  expect(await row('mixed', 'message_received')).toMatchObject({
    ...{ state: 'armed', reason: null, priority: 7, calls: 1, errors: 0, timeouts: 0 },
    p50Ms: expect.any(Number),
    lastFiredAt: expect.any(Number),
  });
  expect(await row('mixed', 'message_sending')).toMatchObject({ state: 'armed', timeoutMs: 5, calls: 1, timeouts: 1 });
  expect(await row('mixed', 'agent_end')).toMatchObject({
    ...{ state: 'blocked', calls: 0, lastFiredAt: null },
    reason: expect.stringContaining('allowConversationAccess'),
  });
  expect(await row('mixed', 'subagent_spawned')).toMatchObject({ state: 'armed', calls: 0 });
  expect(await row('diary', 'agent:bootstrap')).toMatchObject({ state: 'armed', calls: 1 });
  await expect.poll(async () => (await row('diary', 'message:received'))?.calls).toBe(1);
  expect(await row('diary', 'message:sent')).toMatchObject({ state: 'armed', timeoutMs: 5_000 });
  expect(await row('needy', 'command:new')).toMatchObject({
    state: 'blocked',
    reason: expect.stringContaining('NOBODY_SETS_THIS'),
  });
  const { handlers, absent } = await scratch.services.hooks.status();
  expect(absent).toEqual([{ owner: 'broken', state: 'failed', reason: expect.stringContaining('never') }]);
  expect(new Set(handlers.map(({ hook, id, owner }) => `${hook} ${id} ${owner}`)).size).toBe(handlers.length);
});

it('lets a suspended handler be called again: by hook, by id or by plugin', async () => {
  const scratch = await open();
  const suspendIt = async () => {
    for (let message = 0; message < 3; message++) {
      scratch.model.script([reply('Hello.')]);
      await scratch.channel.asks({}, 'Hi', 'Hello.');
    }
    expect(scratch.hooks.suspended()).toMatchObject([{ hook: 'message_sending', owner: 'mixed' }]);
  };
  const stateOf = async () => {
    const { handlers } = await scratch.services.hooks.status();
    return handlers.find(({ hook }) => hook === 'message_sending');
  };
  await suspendIt();
  const handler = await stateOf();
  expect(handler).toMatchObject({ state: 'suspended', reason: expect.stringMatching(/timed out 3 times/) });
  for (const name of ['message_sending', handler?.id ?? '', 'mixed']) {
    if (scratch.hooks.suspended().length === 0) await suspendIt();
    const { id, hook, owner } = handler ?? { id: '', hook: '', owner: '' };
    expect(await scratch.services.hooks.rearm(name)).toEqual([{ id, hook, owner }]);
    expect(await stateOf()).toMatchObject({ state: 'armed' });
    expect(await scratch.services.hooks.rearm(name)).toEqual([]);
  }
  await expect(scratch.services.hooks.rearm('message_sendin')).rejects.toThrow('Did you mean "message_sending"?');
});
