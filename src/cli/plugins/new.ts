// `atrium plugins new`: writes a plugin that works and has a test, to be changed.

import { resolveUserPath } from '../../config/user-path.ts';
import { savePluginScaffold, scaffoldPlugin } from '../../plugins/authoring/scaffold-plugin.ts';
import type { AddCommand } from '../commands.ts';
import { pluginsGroup } from '../plugins-group.ts';

export const addPluginsNew: AddCommand = (program, io) => {
  pluginsGroup(program)
    .command('new')
    .argument('<id>', 'the id of the plugin: small letters, digits and dashes')
    .description('write a new plugin, with a hook, a tool and a test')
    .option('--dir <folder>', 'the folder to make (default: one called as the plugin, here)')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium plugins new greeter                      in ./greeter
  $ atrium plugins new greeter --dir ~/src/greeter`,
    )
    .action(async (id: string, flags: { readonly dir?: string }) => {
      const { home, cwd } = io.environment;
      const scaffold = scaffoldPlugin(resolveUserPath(flags.dir ?? `./${id}`, home, cwd), id);
      await savePluginScaffold(scaffold);
      const { dir, files } = scaffold;
      io.out(`Wrote the plugin "${id}":\n${files.map(({ path }) => `  ${path}\n`).join('')}\nNext:\n`);
      io.out(`  Run its test:  atrium plugins test ${dir}\n  Install it:    atrium plugins install ${dir}\n`);
    });
};
