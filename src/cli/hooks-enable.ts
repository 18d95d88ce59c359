// `atrium hooks enable`: switches a handler, a rule or a hook pack on in the configuration.

import type { AddCommand } from './commands.ts';
import { switchHook } from './hooks/switch-hook.ts';
import { addHookOptions, type HookFlags, hooksGroup } from './hooks-group.ts';

export const addHooksEnable: AddCommand = (program, io) => {
  const command = hooksGroup(program)
    .command('enable')
    .argument('<name>', 'a handler, a rule or a hook pack, as "atrium hooks list" names it')
    .description('switch a handler, a rule or a hook pack on in the configuration; comments in it survive')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium hooks enable time-context        a bundled handler: bootstrap.hooks.time-context.enabled
  $ atrium hooks enable rule:quiet-hours    a rule: its "enabled" in bootstrap.rules
  $ atrium hooks enable greeter             a hook pack: hooks.internal.entries.greeter.enabled`,
    );
  addHookOptions(command).action((name: string, flags: HookFlags) => switchHook(name, true, flags, io));
};
