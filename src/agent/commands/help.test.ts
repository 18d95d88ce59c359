import { expect, it } from 'vitest';
import { CHAT_COMMANDS, formatHelp } from './help.ts';

it('/help names every command on a line of its own', () => {
  expect(formatHelp()).toBe(`Commands
- /new [message]: begin a new session, with the message if there is one
- /reset [message]: the same, noted as a reset
- /compact [instructions]: make a long conversation shorter now, minding the instructions if there are some
- /stop: stop what is running in this session
- /approve [ID allow-once | allow-always | deny]: answer a tool call that waits for you, or list those that do
- /status: show the agent, the model, this session, its last run and what waits
- /context [list | detail | map]: show what the agent reads: its files, every layer with its authors, or a map
- /help: show this list

Anything else is said to the agent.`);
  expect(new Set(CHAT_COMMANDS.map(({ name }) => name)).size).toBe(CHAT_COMMANDS.length);
});
