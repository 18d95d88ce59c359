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
  ['/context d', []],
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
