import { describe, expect, it } from 'vitest';
import { parseSlashCommand } from './slash-command.ts';

describe('parseSlashCommand', () => {
  it.each([
    ['/new', { name: 'new', rest: '', args: [] }],
    ['/NEW Hello there', { name: 'new', rest: 'Hello there', args: ['hello', 'there'] }],
    [
      '/reset\nlet us start over\nplease',
      { name: 'reset', rest: 'let us start over\nplease', args: expect.anything() },
    ],
    ['  /Stop  ', { name: 'stop', rest: '', args: [] }],
    ['/approve K3F9-X2MQ Deny', { name: 'approve', rest: 'K3F9-X2MQ Deny', args: ['k3f9-x2mq', 'deny'] }],
    ['/status', { name: 'status', rest: '', args: [] }],
    ['/context Detail', { name: 'context', rest: 'Detail', args: ['detail'] }],
    ['/help', { name: 'help', rest: '', args: [] }],
  ])('reads %j as a command', (text, command) => {
    expect(parseSlashCommand(text)).toEqual(command);
  });

  it.each([
    '',
    'hello /new',
    '/newer',
    '/new-york',
    '/shrug',
    '/',
    '/ new',
    '//new',
    '/usr/bin/env',
    '/stop/it',
    `/${'new'.repeat(10_000)}`,
    '/constructor',
    '/__proto__',
  ])('leaves %j to the agent', (text) => {
    expect(parseSlashCommand(text)).toBeUndefined();
  });
});
