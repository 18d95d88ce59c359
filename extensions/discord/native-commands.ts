// The commands that Discord offers people when they type a slash, everywhere or in the servers that the operator names.
// They are registered when they have changed, because Discord counts registrations.

import { createHash } from 'node:crypto';
import type { ChannelMemory, NativeCommand } from '../../src/channels/channel-extension.ts';
import type { NativeCommandSettings } from './account.ts';
import type { DiscordApi } from './discord-api.ts';

const CHAT_INPUT = 1;
const STRING_OPTION = 3;
/** Discord's own bounds. */
const MOST_COMMANDS = 100;
const LONGEST_DESCRIPTION = 100;
export const ARGUMENTS = 'arguments';

export async function registerCommands(
  api: DiscordApi,
  applicationId: string,
  commands: readonly NativeCommand[],
  { isOn, guilds }: NativeCommandSettings,
  memory: ChannelMemory,
  accountId: string,
): Promise<void> {
  if (!isOn) return;
  const body = commands.slice(0, MOST_COMMANDS).map(commandBody);
  const state = createHash('sha256')
    .update(JSON.stringify([applicationId, guilds, body]))
    .digest('hex');
  if ((await memory.read(accountId, 'commands')) === state) return;
  for (const guildId of guilds.length > 0 ? guilds : [undefined]) await api.setCommands(applicationId, guildId, body);
  await memory.write(accountId, 'commands', state);
}

function commandBody({ name, description, takesArguments }: NativeCommand) {
  const text = description.slice(0, LONGEST_DESCRIPTION) || name;
  const option = {
    type: STRING_OPTION,
    name: ARGUMENTS,
    description: 'What you would type after it.',
    required: false,
  };
  return { type: CHAT_INPUT, name, description: text, ...(takesArguments && { options: [option] }) };
}
