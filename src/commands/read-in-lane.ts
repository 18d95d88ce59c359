// Decides what a message means when its turn has come: the words for the agent, and the command in front of them if
// there is one. Permission is checked here for commands that wait for their turn, so that a refused command does
// nothing.

import type { Inbound } from '../protocol/inbound.ts';
import { refusalOf } from './audience.ts';
import type { ChatCommand, CommandList, LaneWork } from './chat-command.ts';
import { describeUnknown } from './format-help.ts';
import { parseCommand, writerOf } from './parse-command.ts';

export interface SaidInLane {
  /** The text for the agent, without a command in front of it. */
  readonly text: string;
  readonly command?: ChatCommand | undefined;
  /** What the command does in the run. */
  readonly work?: LaneWork | undefined;
  /**
   * The answer to the person instead of the agent's: they may not use the command, or the command was removed after the
   * message was accepted.
   */
  readonly reply?: string | undefined;
}

/** `kind` is the kind of the trigger. */
export function readInLane(commands: CommandList, kind: string, inbound: Inbound): SaidInLane {
  const parsed = parseCommand(inbound.text, writerOf(kind, inbound), () => commands.list());
  if (parsed.kind === 'text') return { text: parsed.text };
  const { text } = inbound;
  if (parsed.kind === 'unknown') return { text, reply: describeUnknown(parsed.word, commands.list()) };
  const { command, call } = parsed;
  if (command.when === 'at-once') return { text, command };
  const refusal = refusalOf(command, inbound, commands.people);
  if (refusal !== undefined) return { text, command, reply: refusal };
  const work = command.handle(call);
  return { text: work.kind === 'plugin' ? text : work.text, command, work };
}
