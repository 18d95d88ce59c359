// `atrium hooks test`: runs the tests that lie beside a pack's handler, with the modules that the handler gets from
// Atrium. `node:test` prints the outcome and decides the exit code when the process ends.

import { loadConfig } from '../../config/load-config.ts';
import { hookDirectoriesOf } from '../../gateway/composer/user-handlers.ts';
import { discoverHooks } from '../../hooks/packs/discover-hooks.ts';
import { resolveHookKey } from '../../hooks/packs/hook-pack.ts';
import { testHook } from '../../hooks/packs/test-hook.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { resolveWorkspaceDir } from '../agents/resolve-agent.ts';
import { command } from '../command.ts';
import { UnknownHookPackError } from '../errors.ts';
import { HOOK_OPTIONS } from './hook-inventory.ts';

export const hooksTest = command({
  path: 'hooks test',
  summary: "run a hook pack's own tests",
  args: { '<name>': 'the name of a hook pack' },
  options: HOOK_OPTIONS,
  examples: ['hooks test greeter    runs <state>/hooks/greeter/*.test.ts'],
  notes: 'The tests use node:test and may import "atrium/context". Exit code: 0 when they pass, 1 when one fails.',
  json: false,
  async run({ name, ...flags }, { io }) {
    const { environment } = io;
    const { config } = await loadConfig({ environment, configPath: flags.config });
    const workspaceDir = resolveWorkspaceDir(config, environment, flags);
    const { packs } = await discoverHooks(hookDirectoriesOf({ config, environment, workspaceDir }));
    const wanted = name.replace(/^hook:/, '');
    const pack = packs.find((each) => each.name === wanted) ?? packs.find((each) => resolveHookKey(each) === wanted);
    if (pack === undefined) {
      const names = packs.map((each) => each.name);
      throw new UnknownHookPackError({ pack: wanted, suggestion: nearMatch(wanted, names) });
    }
    const { ownModules } = await import('../../public/compose.ts');
    io.linger();
    await testHook(pack, { virtualModules: await ownModules() });
    return {};
  },
});
