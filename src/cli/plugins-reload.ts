// `atrium plugins reload`: has the running gateway read its configuration again and load plugins afresh.

import type { PluginStatus } from '../plugins/plugin-status.ts';
import type { AddCommand } from './commands.ts';
import { EXIT } from './exit-code.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';
import { describeState } from './plugins/describe-plugin-state.ts';
import { pluginsGroup } from './plugins-group.ts';

export const addPluginsReload: AddCommand = (program, io, exit) => {
  pluginsGroup(program)
    .command('reload')
    .argument('[id]', 'a plugin; all of them when none is given')
    .description('load plugins again, with their code and the configuration as they are now')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium plugins reload greeter
  $ atrium plugins reload

Needs a running gateway. A plugin that no longer loads leaves the one before it in place.

Exit code: 0, or 1 when one that should be loaded is not as it should be.`,
    )
    .action(async (id: string | undefined, flags: { readonly json?: boolean }) => {
      const client = await openGatewayClient(io);
      const plugins =
        id === undefined
          ? (await client.post<{ plugins: PluginStatus[] }>('/api/plugins/reload')).plugins
          : [(await client.post<{ plugin: PluginStatus }>(`/api/plugins/${encodeURIComponent(id)}/reload`)).plugin];
      if (flags.json) io.out(`${JSON.stringify({ plugins }, null, 2)}\n`);
      else if (plugins.length === 0) io.out('There are no plugins.\n');
      else for (const plugin of plugins) io.out(`${describeState(plugin)}\n`);
      if (plugins.some(isInTrouble)) exit(EXIT.finding);
    });
};

function isInTrouble({ state, notes }: PluginStatus): boolean {
  return state === 'failed' || state === 'suspended' || notes.some(({ code }) => code === 'load-failed');
}
