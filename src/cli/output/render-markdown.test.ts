import { lexer } from 'marked';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from './render-markdown.ts';
import { terminalStyle } from './terminal-style.ts';
import { textWidth } from './text-width.ts';

const plain = terminalStyle({ isTerminal: true, variables: { NO_COLOR: '1' } });
const coloured = terminalStyle({ isTerminal: true, variables: {} });
const render = (text: string, width = 60) => renderMarkdown(text, { lexer, width, style: plain });
const paint = (text: string) => renderMarkdown(text, { lexer, width: 60, style: coloured });

describe('Markdown in a terminal', () => {
  it('has headings, emphasis and code in colours, and with their marks where there are none', () => {
    expect(paint('# Top\n\n**b** *i* `c`')).toBe(
      '\x1b[1;4;36mTop\x1b[0m\n\n\x1b[1mb\x1b[0m \x1b[3mi\x1b[0m \x1b[33mc\x1b[0m\n',
    );
    expect(render('# Top\n\n**b** *i* `c` ~~d~~')).toBe('# Top\n\n**b** *i* `c` ~~d~~\n');
  });

  it('has code with its language, unbroken', () => {
    const long = `const text = '${'x'.repeat(80)}';`;
    expect(render(`\`\`\`ts\n${long}\n\n  two\n\`\`\``)).toBe(`  ┄ ts\n  ${long}\n  \n    two\n`);
    expect(render('```\nbare\n```')).toBe('  bare\n');
  });

  it('has lists in lists, tasks and quotes', () => {
    expect(render('- one\n- two\n  1. a\n  2. b\n\n> said\n> so')).toBe(
      '• one\n• two\n  1. a\n  2. b\n\n│ said\n│ so\n',
    );
    expect(render('- [x] done\n- [ ] open')).toBe('• [x] done\n• [ ] open\n');
    expect(render('3. c\n4. d')).toBe('3. c\n4. d\n');
  });

  it('says where a link leads, unless its text does', () => {
    expect(render('[bank](https://evil.example/x) <https://a.example>')).toBe(
      'bank (https://evil.example/x) https://a.example\n',
    );
    expect(render('![a cat](cat.png)')).toBe('[image: a cat] (cat.png)\n');
  });

  it('keeps line breaks, markup of other kinds and definitions as they were typed', () => {
    expect(render('one\ntwo')).toBe('one\ntwo\n');
    expect(render('<b>x</b> &lt;y&gt; a_b_c')).toBe('<b>x</b> <y> a_b_c\n');
    expect(render('[1]: https://a.example')).toContain('https://a.example');
  });

  it('wraps at the width, by columns and not by letters', () => {
    expect(render('one two three four', 10)).toBe('one two\nthree four\n');
    for (const line of render('漢字漢字漢字 漢字漢字 漢字漢字漢字漢字漢字漢字', 12).split('\n'))
      expect(textWidth(line)).toBeLessThanOrEqual(12);
  });

  it('lets nothing through that steers the terminal', () => {
    const hostile =
      '# a\x1b[2Jb\n\n`\x1b]0;t\x07` [x](https://a\x1b[31m.example)\n\n```\x1b[1m\n\x9b2J\u202e\n```\n\n|\x1b[H|b|\n|-|-|\n|\x07|d|';
    expect(render(hostile)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  });
});

describe('a table', () => {
  const table =
    '| name | n | what it is |\n|---|--:|---|\n| a | 12 | a rather long sentence about it |\n| bb | 3 | x |';

  it('has columns as wide as they must be', () => {
    expect(render(table).split('\n')).toEqual([
      'name │  n │ what it is',
      `─────┼────┼${'─'.repeat(32)}`,
      'a    │ 12 │ a rather long sentence about it',
      'bb   │  3 │ x',
      '',
    ]);
  });

  it.each([30, 40, 79, 200])('fits %i columns', (width) => {
    for (const line of render(table, width).split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(width);
    for (const word of ['rather', 'sentence', 'bb', '12']) expect(render(table, width)).toContain(word);
  });

  it('has a line for each cell where the columns do not fit', () => {
    expect(render(table, 14)).toMatch(/^name: a\nn: 12\n/);
  });
});
