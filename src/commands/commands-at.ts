// The commands that a person at one surface can type. The terminal has one more than the others, which `atrium chat`
// understands itself and never sends.

import type { Surface } from '../protocol/inbound.ts';
import type { CommandFacts } from './chat-command.ts';

export const LEAVE_CHAT: CommandFacts = { name: 'exit', aliases: ['quit'], help: 'leave this chat', who: 'anyone' };

export function commandsAt(
  { channel }: Pick<Surface, 'channel'>,
  commands: readonly CommandFacts[],
): readonly CommandFacts[] {
  return channel === 'cli' ? [...commands, LEAVE_CHAT] : commands;
}
