// The chat commands in the form in which platforms offer them in their own menus. Platforms allow fewer characters than
// Atrium does, so a name that they would refuse is left out; it can still be typed.

import type { NativeCommand } from '../../channels/channel-extension.ts';
import type { ChatCommand } from '../../commands/chat-command.ts';

export function listNativeCommands(commands: readonly ChatCommand[]): readonly NativeCommand[] {
  return commands
    .filter(({ name }) => /^[a-z0-9_]{1,32}$/.test(name))
    .map(({ name, help, arguments: given }) => ({ name, description: help, takesArguments: given !== undefined }));
}
