// The commands that can be typed into a chat.

import { listCommands } from '../../../commands/list-commands.ts';
import { type Route, route } from '../route.ts';

export const COMMAND_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/commands',
    summary: 'What can be typed into a chat now, with the commands of plugins.',
    detail: '[commands.md](commands.md) explains them.',
    access: 'token',
    answer: (z) =>
      z.object({
        commands: z.array(
          z.object({
            name: z.string().describe('Without the slash.'),
            aliases: z.array(z.string()).describe('Other words for it.'),
            arguments: z.string().nullable().describe('What may follow the name.'),
            help: z.string(),
            who: z.enum(['anyone', 'answerers', 'approvers', 'operator']),
            when: z.enum(['at-once', 'in-lane']).describe('Answered when it arrives, or in its turn like a message.'),
            plugin: z.string().nullable().describe('The plugin that brought it.'),
          }),
        ),
      }),
    handle: ({ services }) => ({ commands: listCommands(services.commands.list()) }),
  }),
];
