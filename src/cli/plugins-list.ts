// `atrium plugins list`: the plugins, whether they are loaded, and why not.

import type { AddCommand } from './commands.ts';
import { formatTable, outputWidth } from './output/format-table.ts';
import { askPlugins } from './plugins/ask-plugins.ts';
import { pluginsGroup } from './plugins-group.ts';

export const addPluginsList: AddCommand = (program, io) => {
  pluginsGroup(program)
    .command('list')
    .description('list the plugins with their state and the reason for it')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium plugins list
  $ atrium plugins list --json | jq -r '.plugins[] | select(.state == "failed") | .reason'

Asks the running gateway. Without one it says what would load; nothing is loaded for it.`,
    )
    .action(async (flags: { readonly json?: boolean }) => {
      const { plugins } = await askPlugins(io);
      if (flags.json) {
        io.out(`${JSON.stringify({ plugins }, null, 2)}\n`);
        return;
      }
      if (plugins.length === 0) {
        io.out('There are no plugins. "atrium plugins install --help" shows how to get one.\n');
        return;
      }
      io.out(
        formatTable(
          plugins,
          [
            { title: 'plugin', cell: ({ id }) => id },
            { title: 'version', cell: ({ version }) => version ?? '' },
            { title: 'state', cell: ({ state }) => state },
            { title: 'runs in', cell: ({ where }) => (where === 'inline' ? 'gateway' : (where ?? '')) },
            { title: 'from', cell: ({ origin }) => origin },
            { title: 'why', cell: ({ reason }) => reason },
          ],
          outputWidth(io),
        ),
      );
    });
};
