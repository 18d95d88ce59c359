// Decides whether a message is a command, looks like a command that does not exist, or is text for the agent. This is
// the only parser; the code that receives messages, the run and the preview call it. Only the beginning of a message
// can be a command.
// Rules: at a chat surface `/word` names a command or is unknown, with `@name` behind the word taken as an address, as
// Telegram writes it. A second slash in the word makes it a path, and a path is text. `//word` is text with one slash
// less. A client of the API gets commands by their exact names only, and all other text stays as it is. A text that a
// job or an agent writes is never a command.

import type { Inbound } from '../protocol/inbound.ts';
import type { ChatCommand, CommandCall } from './chat-command.ts';

export type ParsedMessage =
  | { readonly kind: 'command'; readonly command: ChatCommand; readonly call: CommandCall }
  /** The word as it was typed, without the slash and the address. */
  | { readonly kind: 'unknown'; readonly word: string }
  | { readonly kind: 'text'; readonly text: string };

/** A person at a chat surface, a client of the API, or a program: a job, an agent, a plugin. */
export type Writer = 'person' | 'client' | 'program';

/** `kind` is the kind of the message's trigger. */
export function writerOf(kind: string, { fromAgent, surface }: Pick<Inbound, 'fromAgent' | 'surface'>): Writer {
  if (fromAgent || (kind !== 'message' && kind !== 'api')) return 'program';
  return kind === 'api' || surface.channel === 'api' ? 'client' : 'person';
}

/** `list` is called only when the message begins like a command. */
export function parseCommand(text: string, writer: Writer, list: () => readonly ChatCommand[]): ParsedMessage {
  const asText: ParsedMessage = { kind: 'text', text };
  if (writer === 'program') return asText;
  if (writer === 'person' && ESCAPED.test(text)) return { kind: 'text', text: text.slice(1) };
  const [, typed, rest = ''] = COMMAND.exec(text) ?? [];
  if (typed === undefined) return asText;
  const word = writer === 'person' ? typed.replace(ADDRESS, '') : typed;
  const command = findCommand(word.toLowerCase(), list());
  if (!command) return writer === 'person' ? { kind: 'unknown', word } : asText;
  const behind = rest.trim();
  if (command.standsAlone && behind !== '') return asText;
  const args = behind === '' ? [] : behind.toLowerCase().split(/\s+/);
  return { kind: 'command', command, call: { name: command.name, rest: behind, args } };
}

/** Two slashes with text directly behind them. A comment such as `// as before` is not changed. */
const ESCAPED = /^\/\/\S/;

/** A word begins with a letter, a digit or an underscore, in any script. */
const COMMAND = /^\s*\/([\p{L}\p{N}_][^\s/]*)(\s[\s\S]*)?$/u;

const ADDRESS = /@[^@]+$/;

function findCommand(name: string, commands: readonly ChatCommand[]): ChatCommand | undefined {
  return commands.find((command) => command.name === name || command.aliases?.includes(name));
}
