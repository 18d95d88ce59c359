// Commands that a person types into any chat. Only the beginning of a message can be one, and only a known name is one;
// everything else, `/usr/bin` and `/shrug` included, is ordinary text for the agent.

export const SLASH_COMMANDS = ['new', 'reset', 'compact', 'stop', 'approve', 'status', 'context', 'help'] as const;
export type SlashCommandName = (typeof SLASH_COMMANDS)[number];

export interface SlashCommand {
  readonly name: SlashCommandName;
  /** What stands behind the name, as it was written: `/new hello there` goes on with `hello there`. */
  readonly rest: string;
  /** The same as words in lower case, for commands that take options. */
  readonly args: readonly string[];
}

export function parseSlashCommand(text: string): SlashCommand | undefined {
  const match = /^\s*\/([a-z]{1,16})(?=\s|$)/i.exec(text);
  const word = match?.[1]?.toLowerCase();
  const name = SLASH_COMMANDS.find((command) => command === word);
  if (match === null || name === undefined) return undefined;
  const rest = text.slice(match[0].length).trim();
  return { name, rest, args: rest === '' ? [] : rest.toLowerCase().split(/\s+/) };
}
