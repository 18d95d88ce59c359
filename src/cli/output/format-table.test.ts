import { describe, expect, it } from 'vitest';
import { clip } from '../../protocol/one-line.ts';
import { formatTable } from './format-table.ts';
import { oneLine, visibleLine, wrapText } from './text.ts';

const COLUMNS = {
  name: (row: { name: string; size: number; note: string }) => row.name,
  size: (row: { size: number }) => row.size,
  note: (row: { note: string }) => row.note,
};

describe('formatTable', () => {
  it('aligns columns, with numbers to the right', () => {
    const rows = [
      { name: 'a', size: 1_234, note: 'x' },
      { name: 'long', size: 7, note: '' },
    ];
    expect(formatTable(rows, COLUMNS, 80)).toBe('name   size  note\na     1,234  x\nlong      7\n');
  });

  it('wraps the last column and never runs over the edge', () => {
    const rows = [{ name: 'a', size: 1, note: 'these words do not fit into what is left of the line' }];
    const table = formatTable(rows, COLUMNS, 40);
    expect(table.split('\n').every((line) => line.length <= 40)).toBe(true);
    expect(table).toContain('\n            ');
    expect(table.replace(/\s+/g, ' ')).toContain('these words do not fit into what is left of the line');
  });

  it('gives each row lines of its own where the columns do not fit side by side, and hides nothing', () => {
    const rows = [
      { name: 'job_0mwiq3m4l9fb568ffa2b7dc1', size: 1_234, note: 'these words are as long as they are' },
      { name: 'b', size: 7, note: '' },
    ];
    expect(formatTable(rows, COLUMNS, 40)).toBe(
      [
        'name  job_0mwiq3m4l9fb568ffa2b7dc1',
        'size  1,234',
        'note  these words are as long as they',
        '      are',
        '',
        'name  b',
        'size  7',
        '',
      ].join('\n'),
    );
  });

  it('shows nothing that could steer a terminal', () => {
    const rows = [{ name: '\x1b[31mred\x1b[0m', size: 1, note: 'a\nb\u202ec\x9bd\r' }];
    const table = formatTable(rows, COLUMNS, 80);
    expect(table).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    expect(table.split('\n')).toHaveLength(3);
  });
});

describe('lines for people', () => {
  it('keep their indentation or lose it', () => {
    expect(visibleLine('  \t- x\x07')).toBe('    - x ');
    expect(oneLine('  \t- x\x07')).toBe('- x');
  });

  it('are wrapped at blanks, and inside a word only where there is no other way', () => {
    expect(wrapText('one two three four five six', 20)).toEqual(['one two three four', 'five six']);
    expect(wrapText('x'.repeat(25), 20)).toEqual(['x'.repeat(20), 'x'.repeat(5)]);
    expect(wrapText('a b', Number.POSITIVE_INFINITY)).toEqual(['a b']);
  });

  it('are clipped with a mark', () => {
    expect(clip('abcdef', 4)).toBe('abc…');
    expect(clip('abcd', 4)).toBe('abcd');
  });
});
