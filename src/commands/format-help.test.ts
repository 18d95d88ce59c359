import { describe, expect, it } from 'vitest';
import { COMMAND_CATALOG } from './catalog.ts';
import type { AtOnceCommand, CommandCall, CommandPlace, CommandPorts } from './chat-command.ts';
import { describeUnknown, formatHelp, usageOf } from './format-help.ts';

it('/help names every command on a line of its own', () => {
  expect(formatHelp(COMMAND_CATALOG)).toBe(`Commands
- /new [message]: begin a new session, with the message if there is one
- /reset [message]: the same, noted as a reset
- /compact [instructions]: make a long conversation shorter now, minding the instructions if there are some
- /stop: stop what is running in this session
- /approve [ID allow-once | allow-always | deny]: answer a tool call that waits for you, or list those that do
- /subagents [list | show NAME | kill NAME]: list the subagents of this session, show one, or stop one with all that it started
- /status: show the agent, the model, this session, its last run and what waits
- /model [NAME | default]: show the model of this session, choose another one for it, or go back to the one of the agent
- /context [list | detail | map]: show what the agent reads: its files, every layer with its authors, or a map
- /export-trajectory: write what is recorded about this session into a folder on the machine of the gateway
- /help: show this list

What begins with no slash is said to the agent, and so are paths such as /usr/bin. Write //word to say /word.`);
});

it('/help has the words that only a terminal understands in a terminal, and nowhere else', async () => {
  const help = COMMAND_CATALOG.find(({ name }) => name === 'help') as AtOnceCommand;
  const helpOn = (channel: string) =>
    help.handle(
      { list: () => COMMAND_CATALOG } as unknown as CommandPorts,
      { args: [], rest: '' } as unknown as CommandCall,
      { inbound: { surface: { channel } } } as unknown as CommandPlace,
    );
  expect(await helpOn('cli')).toContain('- /help: show this list\n- /exit or /quit: leave this chat\n');
  for (const channel of ['web', 'api', 'telegram']) expect(await helpOn(channel)).not.toContain('/exit');
});

it('a usage names the other words for a command too', () => {
  expect(usageOf({ name: 'dice', aliases: ['roll'], arguments: '[sides]', help: 'rolls', who: 'anyone' })).toBe(
    '/dice or /roll [sides]',
  );
});

describe('a command that does not exist', () => {
  it('is answered with what was meant, where a slip of the fingers or a missing end explains it', () => {
    expect(describeUnknown('statsu', COMMAND_CATALOG)).toBe(
      'There is no command /statsu. Did you mean /status? See /help for the list. If this was meant for the agent, send it again with two slashes: //statsu',
    );
    expect(describeUnknown('STATSU', COMMAND_CATALOG)).toContain('Did you mean /status?');
    expect(describeUnknown('stat', COMMAND_CATALOG)).toContain('Did you mean /status?');
    expect(describeUnknown('s', COMMAND_CATALOG)).not.toContain('Did you mean');
  });

  it('is answered without a guess where nothing is near', () => {
    expect(describeUnknown('привет', COMMAND_CATALOG)).toBe(
      'There is no command /привет. See /help for the list. If this was meant for the agent, send it again with two slashes: //привет',
    );
  });

  it('is named without control characters, and not at any length', () => {
    const told = describeUnknown(`a\u001b[2J\u202e${'😀'.repeat(100)}`, COMMAND_CATALOG);
    expect(told).toMatch(/^There is no command \/a 😀+…\. See/u);
    expect(told.length).toBeLessThan(300);
    expect(describeUnknown('x'.repeat(1_000_000), COMMAND_CATALOG).length).toBeLessThan(300);
  });
});
