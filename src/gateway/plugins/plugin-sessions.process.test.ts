// A real plugin in a real gateway, in the gateway's process and in the worker: what it keeps for a session, what it has
// said in the next run, and how it lets go.

import { expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';

const PLUGIN = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
export default {
  id: 'board',
  register(api) {
    const note = (about) => appendFileSync(join(api.pluginConfig.dir, 'cleanups.jsonl'), JSON.stringify(about) + '\\n');
    api.registerSessionExtension({
      namespace: 'cards',
      description: 'Open cards',
      project: ({ state }) => ({ open: state.length }),
      cleanup: ({ reason, sessionKey }) => note({ of: 'cards', reason, sessionKey }),
    });
    api.registerRuntimeLifecycle({ id: 'jobs', cleanup: ({ reason, sessionKey }) => note({ of: 'jobs', reason, sessionKey }) });
    api.registerGatewayMethod('board.remind', async ({ params, respond }) => {
      try {
        respond(true, await api.enqueueNextTurnInjection(params));
      } catch (error) {
        respond(false, undefined, { code: 'REFUSED', message: error.message });
      }
    });
    api.registerHook('command:new', (event) => {
      event.messages.push('The board of ' + event.context.pluginConfig.owner + ' is wiped.');
    }, { name: 'wipe' });
    api.registerHook('agent:bootstrap', (event) => {
      event.context.bootstrapFiles.push({ name: 'BOARD.md', path: 'BOARD.md', content: 'Mind the board.', missing: false });
    }, { name: 'mind' });
  },
};
`;

async function gatewayWith(isolation: 'inline' | 'worker', hooks: object = {}) {
  const scratch = await gatewayForTest({
    files: {
      'extensions/board/openclaw.plugin.json': JSON.stringify({ id: 'board', configSchema: { type: 'object' } }),
      'extensions/board/package.json': JSON.stringify({ type: 'module', openclaw: { extensions: ['./index.js'] } }),
      'extensions/board/index.js': PLUGIN,
    },
  });
  await scratch.stop();
  const config = JSON.parse(await scratch.home.read('openclaw.json'));
  const entry = { enabled: true, isolation, hooks, config: { owner: 'Ann', dir: scratch.home.stateDir } };
  const configure = (enabled: boolean) =>
    scratch.home.write(
      'openclaw.json',
      JSON.stringify({ ...config, plugins: { entries: { board: { ...entry, enabled } } } }),
    );
  await configure(true);
  await scratch.start();
  const call = (method: string, params: object) => scratch.services.methods.call(method, params as never, {});
  const cleanups = async () =>
    (await scratch.home.read('cleanups.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { scratch, call, cleanups, configure };
}

it.each([
  'inline',
  'worker',
] as const)('a plugin (%s) keeps, injects, and lets go with its session', async (isolation) => {
  const { scratch, call, cleanups, configure } = await gatewayWith(isolation);
  scratch.model.script(() => reply('Noted.'));
  const { sessionKey } = await scratch.channel.asks({}, 'Hello', 'Noted.');
  expect(scratch.model.requests[0]?.body).toContain('Mind the board.');

  const place = { key: sessionKey, pluginId: 'board', namespace: 'cards' };
  expect(await call('sessions.pluginPatch', { ...place, value: ['a', 'b'] })).toMatchObject({ ok: true });
  const shown = async () => {
    const rows = await scratch.store.select('sessions', { where: { sessionKey, endedAt: null } });
    return (await scratch.services.sessions.show(rows)).flatMap(({ pluginExtensions }) => pluginExtensions);
  };
  const open = [{ pluginId: 'board', namespace: 'cards', value: { open: 2 } }];
  expect(await shown()).toEqual(open);

  const reminder = { sessionKey, text: 'Card a is due.', idempotencyKey: 'a' };
  expect(await call('board.remind', reminder)).toMatchObject({ enqueued: true });
  expect(await call('board.remind', reminder)).toMatchObject({ enqueued: false });
  await scratch.stop();
  await scratch.start();
  scratch.model.script(() => reply('Noted.'));
  expect(await shown()).toEqual(open);
  await scratch.channel.asks({}, 'What is due?', 'Noted.');
  expect(scratch.model.requests[1]?.body).toContain('Card a is due.');

  await call('board.remind', { sessionKey, text: 'Never said.' });
  await scratch.channel.asks({}, '/new', 'The board of Ann is wiped.\n\nA new session has begun.');
  expect(await shown()).toEqual([]);
  expect(await scratch.store.count('injections')).toBe(0);
  await call('sessions.pluginPatch', { ...place, value: ['c'] });
  expect(await scratch.services.sessions.delete(sessionKey)).toBe(true);
  expect(await scratch.store.count('pluginState')).toBe(0);

  await scratch.channel.asks({}, 'Hello again', 'Noted.');
  await call('sessions.pluginPatch', { ...place, value: ['d'] });
  await configure(false);
  await scratch.services.plugins.reloadAll();
  expect(await scratch.store.count('pluginState')).toBe(0);
  const of = (about: object) => ['cards', 'jobs'].map((name) => ({ of: name, ...about }));
  expect((await cleanups()).sort(byText)).toEqual(
    [
      ...of({ reason: 'restart' }),
      ...of({ reason: 'reset', sessionKey }),
      ...of({ reason: 'delete', sessionKey }),
      ...of({ reason: 'disable' }),
    ].sort(byText),
  );
});

it('a plugin that may not add to prompts is told so', async () => {
  const { scratch, call } = await gatewayWith('inline', { allowPromptInjection: false });
  const wanted = call('board.remind', { sessionKey: 'agent:main:main', text: 'Psst.' });
  await expect(wanted).rejects.toThrow(/plugins\.entries\.board\.hooks\.allowPromptInjection is false/);
  expect(await scratch.store.count('injections')).toBe(0);
});

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
