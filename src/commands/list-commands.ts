// The commands in the form that clients get: the page, `atrium chat`, and programs. It has the fields of the rows
// without their handlers.

import type { Audience } from './audience.ts';
import type { ChatCommand } from './chat-command.ts';

export interface ListedCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  /** What may follow the name; null when nothing may follow. */
  readonly arguments: string | null;
  readonly help: string;
  readonly who: Audience;
  readonly when: ChatCommand['when'];
  /** The plugin that registered it; null for the product's own. */
  readonly plugin: string | null;
}

export function listCommands(commands: readonly ChatCommand[]): readonly ListedCommand[] {
  return commands.map(({ name, aliases = [], arguments: words = null, help, who, when, owner: plugin = null }) => ({
    name,
    aliases,
    arguments: words,
    help,
    who,
    when,
    plugin,
  }));
}
