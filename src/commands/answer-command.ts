// The answer to a message that the gateway answers at once, in place of an agent: a command that does not wait for its turn,
// or one that does not exist.

import { refusalOf } from './audience.ts';
import type { CommandPlace, CommandPorts } from './chat-command.ts';
import { commandsAt } from './commands-at.ts';
import { describeUnknown } from './format-help.ts';
import type { ParsedMessage } from './parse-command.ts';

/**
 * Undefined for a message that waits for its turn in the lane: text, and commands that act in the lane. Rejects as the
 * command's handler does.
 */
export async function answerCommand(
  ports: CommandPorts,
  parsed: ParsedMessage,
  place: CommandPlace,
): Promise<string | undefined> {
  if (parsed.kind === 'unknown') return describeUnknown(parsed.word, commandsAt(place.inbound.surface, ports.list()));
  if (parsed.kind === 'text' || parsed.command.when !== 'at-once') return undefined;
  const { command, call } = parsed;
  return refusalOf(command, place.inbound, ports.people) ?? command.handle(ports, call, place);
}
