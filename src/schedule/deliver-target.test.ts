import { describe, expect, it } from 'vitest';
import { formatDeliverTarget, parseDeliverTarget } from './deliver-target.ts';

const channels = ['web', 'cli', 'api', 'telegram', 'discord'];

describe('where the answers of a job go', () => {
  it.each([
    ['web:page-1', { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'page-1' } }],
    ['telegram:123', { channel: 'telegram', accountId: 'default', peer: { kind: 'direct', id: '123' } }],
    ['telegram:group:-100', { channel: 'telegram', accountId: 'default', peer: { kind: 'group', id: '-100' } }],
    [
      'discord/work:channel:42#7',
      { channel: 'discord', accountId: 'work', peer: { kind: 'channel', id: '42' }, threadId: '7' },
    ],
    ['last', { channel: 'last', accountId: 'default', peer: { kind: 'direct', id: 'last' } }],
    ['none', null],
  ])('%s is read and written the same way', (text, surface) => {
    expect(parseDeliverTarget(text, channels)).toEqual(surface);
    expect(formatDeliverTarget(parseDeliverTarget(text, channels))).toBe(text);
  });

  it.each(['', 'web:', 'signal:1', 'api:x', 'telegram:1#', 'telegram:a b', 'telegram/:1'])('%j is refused', (text) => {
    expect(() => parseDeliverTarget(text, channels)).toThrow(/cannot go to/);
  });
});
