import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyString } from '../../src/testkit/any-string.ts';
import { forAll } from '../../src/testkit/for-all.ts';
import { toDiscord } from './markup.ts';

const show = (markdown: string) => toDiscord(markdown, 2_000);

describe('Markdown on Discord', () => {
  it('leaves what Discord renders itself', () => {
    const text =
      '# Title\n\n**bold** *italic* ~~gone~~ `code`\n\n- one\n  - inner\n- two\n\n> quoted\n\n```ts\nconst a = 1;\n```';
    expect(show(text)).toBe(text);
  });

  it('makes a block of a table, bold of deep headings, and lines of rules', () => {
    expect(show('| a | b |\n| - | - |\n| 1 | 22 |')).toBe('```\na  b\n─  ──\n1  22\n```');
    expect(show('#### Deep')).toBe('**Deep**');
    expect(show('a\n\n---\n\nb')).toBe('a\n\n───────────\n\nb');
  });

  it('writes links as they are, and shows where others lead', () => {
    expect(show('see https://example.com/a_b and [here](https://example.com/x_y)')).toBe(
      'see https://example.com/a_b and [here](https://example.com/x_y)',
    );
    expect(show('[run](javascript:alert(1))')).not.toMatch(/\]\(javascript/);
    expect(show('![a picture](https://example.com/p.png)')).toBe('[a picture](https://example.com/p.png)');
  });

  it('escapes signs that were not meant as markup', () => {
    expect(show('snake_case and 2 * 3 * 4')).toBe('snake\\_case and 2 \\* 3 \\* 4');
    expect(show('\\# no title')).toBe('\\# no title');
    expect(show('||not a spoiler||')).toBe('\\|\\|not a spoiler\\|\\|');
  });

  it('keeps mentions readable; whom they call is not decided here', () => {
    expect(show('<@123456789012345678> and @everyone')).toBe('<@123456789012345678> and @everyone');
  });

  it('never lets code out of its block', () => {
    forAll([fc.stringMatching(/^[`a\n]{0,40}$/)], (code) => {
      const fences = show(`~~~~~~\n${code}\n~~~~~~`).match(/```/g) ?? [];
      expect(fences).toHaveLength(2);
    });
  });

  it('fits a message whatever the text is, and never throws', () => {
    forAll([anyString({ maxLength: 2_000 })], (text) => {
      expect(show(text).length).toBeLessThanOrEqual(2_000);
    });
    expect(show('a|'.repeat(1_000))).toBe('a|'.repeat(1_000));
    const table = `| a | b |\n| - | - |\n${'| x | y |\n'.repeat(100)}| ${'z'.repeat(60)} | 1 |`;
    expect(show(table).length).toBeLessThanOrEqual(2_000);
  });
});
