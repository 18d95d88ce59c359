// `atrium plugins install`: brings a plugin or a hook pack in, after it was looked through and agreed to.

import type { AddCommand } from '../commands.ts';
import { EXIT } from '../exit-code.ts';
import { oneLine } from '../output/format-table.ts';
import { pluginsGroup } from '../plugins-group.ts';
import { describeState } from './describe-plugin-state.ts';
import type { InstallFlags } from './review-install.ts';
import { type ToldGateway, tellGateway } from './tell-gateway.ts';

export const addPluginsInstall: AddCommand = (program, io, exit) => {
  pluginsGroup(program)
    .command('install')
    .argument('<source>', 'an npm name with or without a version, a folder, or an archive (.tgz, .tar.gz, .tar)')
    .description('install a plugin or a hook pack, after showing what its code uses')
    .option('--yes', 'do not ask; what is found is shown all the same')
    .option('--force', 'replace what stands in its place, whoever put it there')
    .option('--json', 'print JSON for programs; needs --yes')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium plugins install some-plugin@1.2.3
  $ atrium plugins install ./my-plugin
  $ atrium plugins install ./some-plugin-1.2.3.tgz

No install script runs. The scan reads words: it says what code uses, not that it is safe. Plugins that have a say
(before_install) are asked before you are. Exit code: 0 when it is installed, 1 when you say no, 2 when it is refused.`,
    )
    .action(async (given: string, flags: InstallFlags) => {
      const { runInstall } = await import('./run-install.ts');
      const ran = await runInstall(given, 'plugin', flags, io);
      if (!ran) {
        exit(EXIT.finding);
        return;
      }
      const { record, dependencies, scan } = ran;
      const told = record.kind === 'plugin' ? await tellGateway(record.id, io) : undefined;
      if (flags.json) {
        io.out(`${JSON.stringify({ installed: record, dependencies, scan, gateway: told ?? null }, null, 2)}\n`);
      } else io.out(told ? describeLoading(record.id, told) : describePack(record.id));
    });
};

function describeLoading(id: string, told: ToldGateway): string {
  const inspect = `atrium plugins inspect ${id}`;
  if (told.told === 'no gateway') return `It is loaded when the gateway starts. Then see it with: ${inspect}\n`;
  if (told.told === 'failed') {
    return `The running gateway did not take it up: ${oneLine(told.reason)}\nStart the gateway again, then: ${inspect}\n`;
  }
  const { plugin } = told;
  if (!plugin) return 'The running gateway looked and did not find it. Start the gateway again.\n';
  return `${describeState(plugin)}\nSee what it registered with: ${inspect}\n`;
}

function describePack(name: string): string {
  return `See whether and when it is called with: atrium hooks info ${name}\n`;
}
