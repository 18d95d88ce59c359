// The same with code that is really loaded.

import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HookRunner } from '../hooks/runner.ts';
import { pluginEntry, pluginSettings, ScratchHomePlugins } from './fixtures/scratch-home-plugins.ts';
import { recordingHost } from './fixtures/scratch-plugins.ts';
import { hashPluginFolder } from './install/hash-plugin-folder.ts';
import { writeInstallRecords } from './install/install-records.ts';
import { InlinePlugins } from './loading/inline-plugins.ts';
import { Plugins } from './plugins.ts';
import { surveyPlugins } from './survey-plugins.ts';

let home: ScratchHomePlugins;
let hooks: HookRunner;
let plugins: Plugins;
let warnings: string[];
beforeEach(async () => {
  home = await ScratchHomePlugins.create();
  hooks = new HookRunner();
  warnings = [];
  plugins = new Plugins({
    settings: pluginSettings({ entries: { guard: pluginEntry({ isolation: 'inline', config: { word: 'rm' } }) } }),
    config: {},
    workspaceDir: home.workspaceDir,
    stateDir: home.stateDir,
    loaders: { worker: () => Promise.reject(new Error('There is no worker here.')), inline: () => new InlinePlugins() },
    hooks,
    hostFor: () => recordingHost(),
    now: () => 0,
    warn: (sentence) => void warnings.push(sentence),
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

it('an installed package whose files are not what was installed is noticed, running or not', async () => {
  await write('No.');
  const dir = join(home.stateDir, 'extensions', 'guard');
  const facts = { kind: 'plugin', id: 'guard', dir, spec: 'guard@1.0.0', origin: 'npm', name: 'guard' } as const;
  const integrity = await hashPluginFolder(dir);
  await writeInstallRecords(home.stateDir, [
    { ...facts, version: '1.0.0', integrity, archiveIntegrity: null, installedAt: 0 },
  ]);
  const configuration = { settings: pluginSettings(), config: {}, workspaceDir: home.workspaceDir };
  const survey = async () => (await surveyPlugins(configuration, { stateDir: home.stateDir })).plugins[0]?.install;
  expect(await survey()).toMatchObject({ changed: false });
  await plugins.open();
  expect(plugins.inspect('guard')?.install).toMatchObject({ changed: false });
  expect(warnings).toEqual([]);

  await write('Yes.');
  expect(await survey()).toMatchObject({ changed: true });
  await plugins.reload('guard');
  expect(plugins.inspect('guard')?.install).toMatchObject({ changed: true });
  expect(warnings).toEqual([expect.stringMatching(/"guard" are not what was installed from guard@1\.0\.0/)]);
});
