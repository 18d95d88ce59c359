// `atrium hooks test`: runs the tests that lie beside a pack's handler, with the modules that the handler gets from
// Atrium. `node:test` prints the outcome and decides the exit code when the process ends.

import { loadConfig } from '../../config/load-config.ts';
import { hookDirectoriesOf } from '../../gateway/composer/user-handlers.ts';
import { discoverHooks } from '../../hooks/packs/discover-hooks.ts';
import { resolveHookKey } from '../../hooks/packs/hook-pack.ts';
import { testHook } from '../../hooks/packs/test-hook.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { resolveWorkspaceDir } from '../agents/resolve-agent.ts';
import type { AddCommand } from '../commands.ts';
import { UnknownHookPackError } from '../errors.ts';
import { addHookOptions, type HookFlags, hooksGroup } from '../hooks-group.ts';

export const addHooksTest: AddCommand = (program, io) => {
  const command = hooksGroup(program)
    .command('test')
    .argument('<name>', 'the name of a hook pack')
    .description("run a hook pack's own tests")
    .addHelpText(
      'after',
      `
Example:
  $ atrium hooks test greeter    runs <state>/hooks/greeter/*.test.ts

The tests use node:test and may import "atrium/context". Exit code: 0 when they pass, 1 when one fails.`,
    );
  addHookOptions(command).action(async (name: string, flags: HookFlags) => {
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
  });
};
