import { describe, expect, it } from 'vitest';
import { COMMAND_CATALOG } from './catalog.ts';
import type { ChatCommand } from './chat-command.ts';
import { parseCommand, type Writer, writerOf } from './parse-command.ts';

const DICE: ChatCommand = {
  name: 'dice',
  aliases: ['roll'],
  help: 'rolls',
  who: 'anyone',
  owner: 'games',
  standsAlone: true,
  when: 'in-lane',
  handle: ({ rest }) => ({ kind: 'compaction', text: rest }),
};

function read(text: string, writer: Writer = 'person') {
  const parsed = parseCommand(text, writer, () => [...COMMAND_CATALOG, DICE]);
  return parsed.kind === 'command' ? { ...parsed.call } : parsed;
}

describe('a command', () => {
  it.each([
    ['/new', { name: 'new', rest: '', args: [] }],
    ['/NEW Hello there', { name: 'new', rest: 'Hello there', args: ['hello', 'there'] }],
    [
      '/reset\nlet us start over\nplease',
      { name: 'reset', rest: 'let us start over\nplease', args: ['let', 'us', 'start', 'over', 'please'] },
    ],
    ['  /Stop  ', { name: 'stop', rest: '', args: [] }],
    ['\n/status', { name: 'status', rest: '', args: [] }],
    ['/approve K3F9-X2MQ Deny', { name: 'approve', rest: 'K3F9-X2MQ Deny', args: ['k3f9-x2mq', 'deny'] }],
    ['/status', { name: 'status', rest: '', args: [] }],
    ['/context Detail', { name: 'context', rest: 'Detail', args: ['detail'] }],
    ['/help', { name: 'help', rest: '', args: [] }],
    ['/new /dice', { name: 'new', rest: '/dice', args: ['/dice'] }],
    ['/dice', { name: 'dice', rest: '', args: [] }],
    ['/Roll', { name: 'dice', rest: '', args: [] }],
  ])('is %j, at a chat surface and over the API', (text, call) => {
    expect(read(text)).toEqual(call);
    expect(read(text, 'client')).toEqual(call);
  });

  it('may be addressed at a chat surface, as Telegram does it', () => {
    expect(read('/status@my_bot')).toEqual({ name: 'status', rest: '', args: [] });
    expect(read('/new@MyBot Hello')).toEqual({ name: 'new', rest: 'Hello', args: ['hello'] });
    expect(read('/statsu@my_bot')).toEqual({ kind: 'unknown', word: 'statsu' });
    expect(read('/status@my_bot', 'client')).toEqual({ kind: 'text', text: '/status@my_bot' });
  });
});

describe('a word that names no command', () => {
  it.each([
    ['/statsu', 'statsu'],
    ['  /Statsu now', 'Statsu'],
    ['/newer', 'newer'],
    ['/new-york is large', 'new-york'],
    ['/shrug\nand more\n/stop', 'shrug'],
    ['/v1.2', 'v1.2'],
    ['/2nd', '2nd'],
    ['/_x', '_x'],
    ['/привет, бот', 'привет,'],
    ['/帮助', '帮助'],
    ['/constructor', 'constructor'],
    ['/__proto__', '__proto__'],
    ['/a@b@c', 'a@b'],
    ['/status@', 'status@'],
    [`/${'new'.repeat(10_000)}`, 'new'.repeat(10_000)],
  ])('%j is unknown at a chat surface and text over the API', (text, word) => {
    expect(read(text)).toEqual({ kind: 'unknown', word });
    expect(read(text, 'client')).toEqual({ kind: 'text', text });
  });
});

describe('text for the agent', () => {
  it.each([
    '',
    'hello /new',
    '/',
    '/ new',
    ' / ',
    '/?',
    '/-)',
    '/@my_bot',
    '/usr/bin/env',
    '/usr/',
    '/stop/it',
    '/status@bot/x',
    '/* a comment */',
    '// a comment',
    '//',
    ' //new',
    // Words behind a command that takes no arguments make the message a sentence.
    '/dice are fun',
  ])('%j is left as it is, everywhere', (text) => {
    expect(read(text)).toEqual({ kind: 'text', text });
    expect(read(text, 'client')).toEqual({ kind: 'text', text });
  });

  it.each([
    ['//new', '/new'],
    ['//statsu now\n//twice', '/statsu now\n//twice'],
    ['//usr/bin', '/usr/bin'],
    ['///new', '//new'],
  ])('%j is %j at a chat surface, and left as it is over the API', (text, said) => {
    expect(read(text)).toEqual({ kind: 'text', text: said });
    expect(read(text, 'client')).toEqual({ kind: 'text', text });
  });

  it.each(['/stop', '/statsu', '//new', '/dice', '/status@bot'])('%j of a program is words', (text) => {
    expect(read(text, 'program')).toEqual({ kind: 'text', text });
  });

  it('costs no look at the commands, and no time, however long it is', () => {
    const list = () => expect.fail('must not be called');
    for (const text of ['hello', `${' '.repeat(1_000_000)}x`, `/${'a'.repeat(1_000_000)}/b`]) {
      expect(parseCommand(text, 'person', list).kind).toBe('text');
    }
  });
});

it('a message is a person’s, a client’s or a program’s by where it comes from', () => {
  const surface = { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'x' } } as const;
  const fromAgent = { runId: 'r', call: 'c', path: [] };
  expect(writerOf('message', { surface })).toBe('person');
  expect(writerOf('api', { surface })).toBe('client');
  expect(writerOf('message', { surface: { ...surface, channel: 'api' } })).toBe('client');
  expect(writerOf('message', { surface, fromAgent })).toBe('program');
  for (const kind of ['cron', 'heartbeat', 'approval']) expect(writerOf(kind, { surface })).toBe('program');
});
