import { describe, expect, it } from 'vitest';
import type { ToldSpan } from '../client/gateway-client.ts';
import { changesByAuthor, compareRequests } from './compare-requests.ts';

const span = (where: ToldSpan['where'], index: number, origin: string, text: string): ToldSpan => ({
  where,
  index,
  origin,
  chars: text.length,
  text,
});

describe('two requests beside each other', () => {
  const before = [
    span('system', 0, 'atrium: heading', '# AGENTS.md\n'),
    span('system', 0, '/w/AGENTS.md, lines 1-2', 'Be kind.\nBe brief.\n'),
    span('tools', 0, 'tool read', 'read{}'),
    span('tools', 1, 'tool exec', 'exec{}'),
    span('messages', 0, 'message', 'hello'),
  ];

  it('are the same when every unit is, whatever the order of the tools', () => {
    const [heading, file, read, exec, said] = before as [ToldSpan, ToldSpan, ToldSpan, ToldSpan, ToldSpan];
    expect(compareRequests(before, [heading, file, { ...exec, index: 0 }, { ...read, index: 1 }, said])).toEqual([]);
  });

  it('show the lines that differ with their authors', () => {
    const after = [
      before[0] as ToldSpan,
      span('system', 0, '/w/AGENTS.md, line 1', 'Be kind.\n'),
      span('system', 0, 'handler time-context', 'It is night.\n'),
      ...before.slice(2),
    ];
    const units = compareRequests(before, after);
    expect(units.map(({ title }) => title)).toEqual(['System block 1']);
    const changed = units[0]?.rows.filter(({ kind }) => kind !== 'same');
    expect(changed?.map(({ kind, text, author }) => [kind, text, author?.name])).toEqual([
      ['removed', 'Be brief.', '/w/AGENTS.md'],
      ['added', 'It is night.', 'time-context'],
    ]);
    expect(changesByAuthor(units).map(({ author, added, removed }) => [author.name, added, removed])).toEqual([
      ['/w/AGENTS.md', 0, 1],
      ['time-context', 1, 0],
    ]);
  });

  it('leave out the lines that both have, but for a few', () => {
    const long = 'same\n'.repeat(50);
    const rows = compareRequests([span('system', 0, 'x', long)], [span('system', 0, 'x', `${long}new\n`)])[0]?.rows;
    expect(rows?.find(({ kind }) => kind === 'left-out')?.count).toBe(44);
    expect(rows).toHaveLength(8);
  });
});
