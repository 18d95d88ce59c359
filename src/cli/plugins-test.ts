// `atrium plugins test`: runs the tests that lie beside a plugin's entry, with the modules that Atrium gives them.
// `node:test` prints the outcome and decides the exit code when the process ends.

import { resolveUserPath } from '../config/user-path.ts';
import type { AddCommand } from './commands.ts';
import { pluginsGroup } from './plugins-group.ts';

export const addPluginsTest: AddCommand = (program, io) => {
  pluginsGroup(program)
    .command('test')
    .argument('[folder]', "the plugin's folder (default: here)")
    .description("run a plugin's own tests")
    .addHelpText(
      'after',
      `
Example:
  $ atrium plugins test ./greeter    runs ./greeter/*.test.ts

The tests use node:test and may import the plugin's files, "atrium/plugin-sdk" and "atrium/testkit", which runs the
plugin in a whole gateway on a home of its own.
Exit code: 0 when they pass, 1 when one fails.`,
    )
    .action(async (folder: string | undefined) => {
      const { home, cwd } = io.environment;
      const dir = resolveUserPath(folder ?? '.', home, cwd);
      const [{ ownModules }, testkit, { testPluginFolder }] = await Promise.all([
        import('../public/compose.ts'),
        import('../public/testkit.ts'),
        import('../plugins/authoring/test-plugin-folder.ts'),
      ]);
      io.linger();
      await testPluginFolder(dir, { virtualModules: { ...(await ownModules()), 'atrium/testkit': testkit } });
    });
};
