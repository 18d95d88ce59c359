// `atrium plugins disable`: switches a plugin off in the configuration, and in a running gateway at once.

import type { AddCommand } from './commands.ts';
import { switchPlugin } from './plugins/switch-plugin.ts';
import { pluginsGroup } from './plugins-group.ts';

export const addPluginsDisable: AddCommand = (program, io) => {
  pluginsGroup(program)
    .command('disable')
    .argument('<id>', 'a plugin, as "atrium plugins list" names it')
    .description('switch a plugin off in the configuration, and in a running gateway at once; comments survive')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium plugins disable greeter    plugins.entries.greeter.enabled`,
    )
    .action((id: string) => switchPlugin(id, false, io));
};
