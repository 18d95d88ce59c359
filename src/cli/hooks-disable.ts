// `atrium hooks disable`: switches a handler, a rule or a hook pack off in the configuration.

import type { AddCommand } from './commands.ts';
import { switchHook } from './hooks/switch-hook.ts';
import { addHookOptions, type HookFlags, hooksGroup } from './hooks-group.ts';

export const addHooksDisable: AddCommand = (program, io) => {
  const command = hooksGroup(program)
    .command('disable')
    .argument('<name>', 'a handler, a rule or a hook pack, as "atrium hooks list" names it')
    .description('switch a handler, a rule or a hook pack off in the configuration; comments in it survive')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium hooks disable time-context        a bundled handler: bootstrap.hooks.time-context.enabled
  $ atrium hooks disable rule:quiet-hours    a rule: its "enabled" in bootstrap.rules
  $ atrium hooks disable greeter             a hook pack: hooks.internal.entries.greeter.enabled`,
    );
  addHookOptions(command).action((name: string, flags: HookFlags) => switchHook(name, false, flags, io));
};
