// `atrium plugins enable`: switches a plugin on in the configuration, and in a running gateway at once.

import type { AddCommand } from './commands.ts';
import { switchPlugin } from './plugins/switch-plugin.ts';
import { pluginsGroup } from './plugins-group.ts';

export const addPluginsEnable: AddCommand = (program, io) => {
  pluginsGroup(program)
    .command('enable')
    .argument('<id>', 'a plugin, as "atrium plugins list" names it')
    .description('switch a plugin on in the configuration, and in a running gateway at once; comments survive')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium plugins enable greeter    plugins.entries.greeter.enabled`,
    )
    .action((id: string) => switchPlugin(id, true, io));
};
