import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatConfigPath } from './config-path.ts';
import { parseConfigPath } from './parse-config-path.ts';

describe('the address of a setting', () => {
  it('is names, items and quoted names', () => {
    expect(parseConfigPath('agents.list[0].workspace')).toEqual(['agents', 'list', 0, 'workspace']);
    expect(parseConfigPath('channels.discord.guilds["1.2 3"].users')).toEqual([
      'channels',
      'discord',
      'guilds',
      '1.2 3',
      'users',
    ]);
  });

  it.each([
    '',
    '.',
    'a..b',
    '.a',
    'a.',
    'a[',
    'a[b]',
    'a["b]',
    'a[""]',
    'a b',
    'a[0]b',
    'a[-1]',
  ])('is not "%s"', (text) => {
    expect(parseConfigPath(text)).toBeUndefined();
  });

  it('is read back as it was written, whatever the names are', () => {
    const part = fc.oneof(fc.string({ minLength: 1 }), fc.nat(999));
    const path = fc.tuple(fc.string({ minLength: 1 }), fc.array(part)).map(([first, rest]) => [first, ...rest]);
    fc.assert(
      fc.property(path, (parts) => {
        expect(parseConfigPath(formatConfigPath(parts))).toEqual(parts);
      }),
    );
  });
});
