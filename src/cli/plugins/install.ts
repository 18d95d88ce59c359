// `atrium plugins install`: installs a plugin or a hook pack, after it was scanned and a person agreed.

import { command } from '../command.ts';
import { INSTALL_ARGUMENT, INSTALL_OPTIONS } from '../common-options.ts';
import { oneLine } from '../output/text.ts';
import { describeState } from './ask-plugins.ts';
import { type ToldGateway, tellGateway } from './tell-gateway.ts';

export const pluginsInstall = command({
  path: 'plugins install',
  summary: 'install a plugin or a hook pack, after showing what its code uses',
  args: INSTALL_ARGUMENT,
  options: INSTALL_OPTIONS,
  examples: [
    'plugins install some-plugin@1.2.3',
    'plugins install ./my-plugin',
    'plugins install ./some-plugin-1.2.3.tgz',
  ],
  notes: `No install script runs. The scan reads words: it says what code uses, not that it is safe. Plugins that have a say
(before_install) are asked before you are. Exit code: 0 when it is installed, 1 when you say no, 2 when it is refused.`,
  async run({ source, ...flags }, { io }) {
    const { runInstall } = await import('./run-install.ts');
    const ran = await runInstall(source, 'plugin', flags, io);
    if (!ran) return { ok: false };
    const { record, dependencies, scan } = ran;
    const told = record.kind === 'plugin' ? await tellGateway(record.id, io) : undefined;
    return {
      json: { installed: record, dependencies, scan, gateway: told ?? null },
      text: told
        ? describeLoading(record.id, told)
        : `See whether and when it is called with: atrium hooks info ${record.id}\n`,
    };
  },
});

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
