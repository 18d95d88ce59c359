// The same with code that is really loaded.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { HookRunner } from '../hooks/runner.ts';
import { pluginEntry, pluginSettings, ScratchHomePlugins } from './fixtures/scratch-home-plugins.ts';
import { recordingHost } from './fixtures/scratch-plugins.ts';
import { InlinePlugins } from './inline-plugins.ts';
import { Plugins } from './plugins.ts';

let home: ScratchHomePlugins;
let hooks: HookRunner;
let plugins: Plugins;
beforeEach(async () => {
  home = await ScratchHomePlugins.create();
  hooks = new HookRunner();
  plugins = new Plugins({
    settings: pluginSettings({ entries: { guard: pluginEntry({ isolation: 'inline', config: { word: 'rm' } }) } }),
    config: {},
    workspaceDir: home.workspaceDir,
    stateDir: home.stateDir,
    loaders: { worker: () => Promise.reject(new Error('There is no worker here.')), inline: () => new InlinePlugins() },
    hooks,
    hostFor: () => recordingHost(),
    now: () => 0,
    warn: () => {},
  });
});
afterEach(async () => {
  await plugins.close();
  await home.remove();
});

const write = (reason: string) =>
  home.write({
    'state/extensions/guard/package.json': { name: 'guard', openclaw: { extensions: ['./src/index.ts'] } },
    'state/extensions/guard/src/index.ts': `
      import { reason } from './reason.js';
      export default function register(api: any) {
        api.on('before_tool_call', (event: any) => {
          if (JSON.stringify(event.params).includes(api.pluginConfig.word)) return { block: true, blockReason: reason };
        });
      }`,
    'state/extensions/guard/src/reason.ts': `export const reason: string = ${JSON.stringify(reason)};`,
  });
const call = async (command: string) =>
  (await hooks.run('before_tool_call', { toolName: 'exec', params: { command } } as never, {})).result;

it('a guard that is edited guards with its new code, and a slip in it changes nothing', async () => {
  await write('Not today.');
  await plugins.open();
  expect(plugins.inspect('guard')).toMatchObject({ state: 'loaded', where: 'inline', notes: [] });
  expect(await call('rm -rf x')).toMatchObject({ block: true, blockReason: 'Not today.' });
  expect(await call('ls')).toEqual({});

  await write('Not ever.');
  await plugins.reload('guard');
  expect(await call('rm -rf x')).toMatchObject({ blockReason: 'Not ever.' });

  await home.write({ 'state/extensions/guard/src/reason.ts': 'export const reason = ;' });
  const slipped = await plugins.reload('guard');
  expect(slipped).toMatchObject({ state: 'loaded', notes: [{ code: 'load-failed' }] });
  expect(slipped.reason).toContain('Unexpected token');
  expect(await call('rm -rf x')).toMatchObject({ blockReason: 'Not ever.' });
});

it('after many loads each handler fires once', async () => {
  await write('No.');
  await plugins.open();
  for (let time = 0; time < 10; time++) await plugins.reload('guard');
  const { calls } = await hooks.run('before_tool_call', { toolName: 'exec', params: {} } as never, {});
  expect(calls).toHaveLength(1);
});
