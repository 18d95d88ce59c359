import { expect, it } from 'vitest';
import { COMMAND_CATALOG } from './catalog.ts';
import { completeCommand } from './complete-command.ts';
import { listCommands } from './list-commands.ts';

it.each([
  ['/st', ['/stop', '/status']],
  ['/STA', ['/status']],
  ['/co', ['/compact ', '/context ']],
  ['/help', ['/help']],
  ['/x', []],
  ['/context d', ['/context detail']],
  ['/context ', ['/context list', '/context detail', '/context map']],
  ['/context detail x', []],
  ['/subagents k', ['/subagents kill ']],
  ['/approve a1 a', ['/approve a1 allow-once', '/approve a1 allow-always']],
  ['/approve ', []],
  ['/model ', ['/model default']],
  ['/model x/y d', []],
  ['/new ', []],
  ['/nothing l', []],
  ['//s', []],
  ['st', []],
  ['', []],
])('%j becomes one of %j', (line, names) => {
  expect(completeCommand(line, listCommands(COMMAND_CATALOG))).toEqual(names);
});

it('the slash alone is the whole list, with the other words for a command', () => {
  const commands = [
    { name: 'dice', aliases: ['roll'], arguments: null },
    { name: 'tea', aliases: [], arguments: null },
  ];
  expect(completeCommand('/', commands)).toEqual(['/dice', '/roll', '/tea']);
});

it('a place without fixed words gets those that are handed in', () => {
  const waiting = (command: string, place: string) => (command === 'approve' && place === 'ID' ? ['k3f9', 'x2mq'] : []);
  expect(completeCommand('/approve k', listCommands(COMMAND_CATALOG), waiting)).toEqual(['/approve k3f9 ']);
  const models = (command: string) => (command === 'model' ? ['openai/gpt-5.4', 'mirror/mirror'] : []);
  expect(completeCommand('/model o', listCommands(COMMAND_CATALOG), models)).toEqual(['/model openai/gpt-5.4']);
});
