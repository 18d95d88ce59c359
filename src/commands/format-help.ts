// The texts about commands in a chat: the list of `/help`, and the answer to a command that does not exist.

import { nearMatch } from '../protocol/near-match.ts';
import type { CommandFacts } from './chat-command.ts';
import { chatLine } from './chat-text.ts';

export function formatHelp(commands: readonly CommandFacts[]): string {
  const lines = commands.map((command) => `- ${usageOf(command)}: ${command.help}`);
  return [
    'Commands',
    ...lines,
    '',
    'What begins with no slash is said to the agent, and so are paths such as /usr/bin. Write //word to say /word.',
  ].join('\n');
}

/** For example `/context [list | detail | map]`, with other names for it: `/help or /h`. */
export function usageOf({ name, aliases = [], arguments: words }: CommandFacts): string {
  const names = [name, ...aliases].map((each) => `/${each}`).join(' or ');
  return words === undefined ? names : `${names} ${words}`;
}

export function describeUnknown(word: string, commands: readonly CommandFacts[]): string {
  const shown = chatLine(word, LONGEST_WORD);
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  // The word may have a typing mistake, or may be the beginning of a name.
  const near = nearMatch(word, names) ?? names.find((name) => word.length > 1 && name.startsWith(word.toLowerCase()));
  return [
    `There is no command /${shown}.`,
    ...(near === undefined ? [] : [`Did you mean /${near}?`]),
    'See /help for the list.',
    `If this was meant for the agent, send it again with two slashes: //${shown}`,
  ].join(' ');
}

/** The word comes from a person and may be of any length. */
const LONGEST_WORD = 40;
