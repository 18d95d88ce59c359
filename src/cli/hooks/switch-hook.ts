// Switches one handler, rule or hook pack on or off in the configuration, for a command. It says exactly what was
// written and where, writes nothing when the value is set already, and checks afterwards whether it had an effect.

import { loadConfig } from '../../config/load-config.ts';
import { type HookItem, listUnloadedHookItems } from '../../gateway/services/hook-inventory.ts';
import { isSwitchedOn, writeHandlerSwitch } from '../../gateway/settings/write-handler-switch.ts';
import { resolveWorkspaceDir } from '../agents/resolve-agent.ts';
import type { CliIo } from '../cli-io.ts';
import { type Answer, command, type FlagsOf } from '../command.ts';
import { oneLine } from '../output/text.ts';
import { askHooks, askRunningHooks, findHookItem, HOOK_ARGUMENT, HOOK_OPTIONS } from './ask-hooks.ts';

export const hooksEnable = switchCommand('enable', 'on');
export const hooksDisable = switchCommand('disable', 'off');

function switchCommand(verb: 'enable' | 'disable', state: 'on' | 'off') {
  return command({
    path: `hooks ${verb}`,
    summary: `switch a handler, a rule or a hook pack ${state} in the configuration; comments in it survive`,
    args: HOOK_ARGUMENT,
    options: HOOK_OPTIONS,
    examples: [
      `hooks ${verb} time-context        a bundled handler: bootstrap.hooks.time-context.enabled`,
      `hooks ${verb} rule:quiet-hours    a rule: its "enabled" in bootstrap.rules`,
      `hooks ${verb} greeter             a hook pack: hooks.internal.entries.greeter.enabled`,
    ],
    json: false,
    run: ({ name, ...flags }, { io }) => switchHook(name, verb === 'enable', flags, io),
  });
}

type HookFlags = FlagsOf<typeof HOOK_OPTIONS>;

async function switchHook(name: string, enabled: boolean, flags: HookFlags, io: CliIo): Promise<Answer> {
  const { environment } = io;
  const location = { environment, configPath: flags.config };
  const { config } = await loadConfig(location);
  const workspaceDir = resolveWorkspaceDir(config, environment, flags);
  const item = findHookItem(await listUnloadedHookItems(config, environment, workspaceDir), name);
  const written = await writeHandlerSwitch(location, item, enabled);
  if (!written) {
    io.out(`${oneLine(item.id)} is ${word(enabled)} already; nothing was written.
`);
  } else {
    io.out(`Wrote ${written.setting} = ${enabled} to ${written.file}.
`);
    const { config: changed } = await loadConfig(location);
    io.out(`${oneLine(item.id)} is ${word(isSwitchedOn(item, changed))} now.
`);
  }
  await writeEffect(item, enabled, flags, io);
  return {};
}

function word(enabled: boolean): string {
  return enabled ? 'enabled' : 'disabled';
}

/**
 * Says whether a running gateway follows, and whether a switch that is on has an effect. Without a gateway nothing is
 * loaded for what is switched off: it may be a pack that hangs while it is loaded.
 */
async function writeEffect({ id }: HookItem, enabled: boolean, flags: HookFlags, io: CliIo): Promise<void> {
  const running = await askRunningHooks(flags, io);
  const asked = running ?? (enabled ? await askHooks(flags, io) : undefined);
  if (!asked) return;
  const item = findHookItem(asked.inventory.items, id);
  if (running && (item.state !== 'off') !== enabled) {
    io.out('The running gateway does not follow: it reads another configuration, or cannot use this one.\n');
    return;
  }
  if (running) io.out('The running gateway has taken it up.\n');
  if (enabled && item.state !== 'on') io.out(`It is not called all the same: ${oneLine(item.why ?? '')}\n`);
}
