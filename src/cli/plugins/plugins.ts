// `atrium plugins`: lists plugins, switches them, and creates new ones.

import { join } from 'node:path';
import { resolveUserPath } from '../../config/user-path.ts';
import { savePluginScaffold, scaffoldPlugin } from '../../plugins/authoring/scaffold-plugin.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';
import { type CliCommand, command } from '../command.ts';
import { path } from '../gateway/gateway-client.ts';
import { listText } from '../output/format-table.ts';
import { productFolder } from '../product-folder.ts';
import { askPlugins, describeState, PLUGIN_ARGUMENT } from './ask-plugins.ts';
import { pluginsInspect } from './inspect.ts';
import { pluginsInstall } from './install.ts';
import { switchPlugin } from './switch-plugin.ts';
import { pluginsUninstall } from './uninstall.ts';

export const PLUGIN_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'plugins list',
    summary: 'list the plugins with their state and the reason for it',
    examples: ['plugins list', 'plugins list --json | jq -r \'.plugins[] | select(.state == "failed") | .reason\''],
    notes: 'Asks the running gateway. Without one it says what would load; nothing is loaded for it.',
    async run(_, { io }) {
      const { plugins } = await askPlugins(io);
      const text = listText(
        plugins,
        {
          plugin: ({ id }) => id,
          version: ({ version }) => version ?? '',
          state: ({ state }) => state,
          'runs in': ({ where }) => (where === 'inline' ? 'gateway' : (where ?? '')),
          from: ({ origin }) => origin,
          why: ({ reason }) => reason,
        },
        'There are no plugins. "atrium plugins install --help" shows how to get one.',
      );
      return { json: { plugins }, text };
    },
  }),
  pluginsInspect,
  switchCommand('enable', 'on'),
  switchCommand('disable', 'off'),
  command({
    path: 'plugins reload',
    summary: 'load plugins again, with their code and the configuration as they are now',
    args: { '[id]': 'a plugin; all of them when none is given' },
    examples: ['plugins reload greeter', 'plugins reload'],
    notes: `A plugin that no longer loads leaves the one before it in place.

Exit code: 0, or 1 when one that should be loaded is not as it should be.`,
    needs: 'gateway',
    async run({ id }, { client }) {
      const plugins =
        id === undefined
          ? (await client.post<{ plugins: PluginStatus[] }>('/api/plugins/reload')).plugins
          : [(await client.post<{ plugin: PluginStatus }>(path`/api/plugins/${id}/reload`)).plugin];
      return {
        json: { plugins },
        text: plugins.map((plugin) => `${describeState(plugin)}\n`).join('') || 'There are no plugins.\n',
        ok: !plugins.some(isInTrouble),
      };
    },
  }),
  pluginsInstall,
  pluginsUninstall,
  command({
    path: 'plugins new',
    summary: 'write a new plugin, with a hook, a tool and a test',
    args: { '<id>': 'the id of the plugin: small letters, digits and dashes' },
    options: { '--dir <folder>': 'the folder to make (default: one called as the plugin, here)' },
    examples: ['plugins new greeter                      in ./greeter', 'plugins new greeter --dir ~/src/greeter'],
    json: false,
    async run({ id, dir: folder = `./${id}` }, { io: { environment } }) {
      const dirOfPlugin = resolveUserPath(folder, environment.home, environment.cwd);
      const scaffold = scaffoldPlugin(dirOfPlugin, id, join(productFolder(), 'dist/public'));
      await savePluginScaffold(scaffold);
      const { dir, files } = scaffold;
      const steps = `  Run its test:  atrium plugins test ${dir}\n  Install it:    atrium plugins install ${dir}\n`;
      return {
        text: `Wrote the plugin "${id}":\n${files.map(({ path }) => `  ${path}\n`).join('')}\nNext:\n${steps}`,
      };
    },
  }),
  command({
    path: 'plugins test',
    summary: "run a plugin's own tests",
    args: { '[folder]': "the plugin's folder (default: here)" },
    examples: ['plugins test ./greeter    runs ./greeter/*.test.ts'],
    notes: `The tests use node:test and may import the plugin's files, "atrium/plugin-sdk" and "atrium/testkit", which runs the
plugin in a whole gateway on a home of its own.
Exit code: 0 when they pass, 1 when one fails.`,
    json: false,
    // `node:test` prints the outcome and decides the exit code when the process ends.
    async run({ folder = '.' }, { io }) {
      const dir = resolveUserPath(folder, io.environment.home, io.environment.cwd);
      const [{ loadModules }, testkit, { testPluginFolder }] = await Promise.all([
        import('../../public/own-modules.ts'),
        import('../../public/testkit.ts'),
        import('../../plugins/authoring/test-plugin-folder.ts'),
      ]);
      io.linger();
      await testPluginFolder(dir, { virtualModules: { ...(await loadModules()), 'atrium/testkit': testkit } });
      return {};
    },
  }),
];

function switchCommand(verb: 'enable' | 'disable', state: 'on' | 'off'): CliCommand {
  return command({
    path: `plugins ${verb}`,
    summary: `switch a plugin ${state} in the configuration, and in a running gateway at once; comments survive`,
    args: PLUGIN_ARGUMENT,
    examples: [`plugins ${verb} greeter    plugins.entries.greeter.enabled`],
    json: false,
    run: ({ id }, { io }) => switchPlugin(id, verb === 'enable', io),
  });
}

function isInTrouble({ state, notes }: PluginStatus): boolean {
  return state === 'failed' || state === 'suspended' || notes.some(({ code }) => code === 'load-failed');
}
