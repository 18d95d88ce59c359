import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../testkit/for-all.ts';
import { formatMarkdown, type Markup } from './format-markdown.ts';

/** Shows which function was called for which text. */
const shown: Markup = {
  text: (plain) => plain.replace(/[<>]/g, (sign) => (sign === '<' ? '&lt;' : '&gt;')),
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  strike: (inner) => `<s>${inner}</s>`,
  code: (plain) => `<code>${shown.text(plain)}</code>`,
  codeBlock: (plain, language) => `<pre ${language}>${shown.text(plain)}</pre>`,
  link: (inner, url) => `<a ${shown.text(url)}>${inner}</a>`,
  heading: (inner, level) => `<h${level}>${inner}</h${level}>`,
  quote: (inner) => `<q>${inner}</q>`,
  item: (inner, marker, depth) => `${'  '.repeat(depth)}${marker} ${inner}`,
  rule: () => '---',
};

describe('Markdown in the markup of a platform', () => {
  it.each([
    ['plain', 'plain'],
    ['**bold**, *it*, ~~old~~ and `a < b`', '<b>bold</b>, <i>it</i>, <s>old</s> and <code>a &lt; b</code>'],
    ['**all *of* it**', '<b>all <i>of</i> it</b>'],
    ['## Title\n\ntext', '<h2>Title</h2>\n\ntext'],
    ['```ts\nif (a < b) {}\n```', '<pre ts>if (a &lt; b) {}</pre>'],
    ['[docs](https://example.com/a?b=c&d)', '<a https://example.com/a?b=c&d>docs</a>'],
    ['> said\n> twice', '<q>said\ntwice</q>'],
    ['- one\n  - inner\n- two', '• one\n  • inner\n• two'],
    ['3. three\n4. four', '3. three\n4. four'],
    ['- [x] done\n- [ ] open', '• ☑ done\n• ☐ open'],
    ['a\n\n---\n\nb', 'a\n\n---\n\nb'],
    ['| a | long |\n|---|---|\n| wide one | **x** |', '<pre >a         long\n────────  ────\nwide one  x</pre>'],
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['a <b>b</b>', 'a &lt;b&gt;b&lt;/b&gt;'],
    ['line\nnext', 'line\nnext'],
  ])('%j', (markdown, expected) => {
    expect(formatMarkdown(markdown, shown)).toBe(expected);
  });

  it('lets no sign through that the platform escapes, and never throws', () => {
    const bare: Markup = {
      ...shown,
      bold: same,
      italic: same,
      strike: same,
      heading: same,
      quote: same,
      rule: () => '',
    };
    const plain: Markup = { ...bare, code: bare.text, codeBlock: bare.text, link: (inner) => inner };
    const markdown = fc.string({ unit: fc.constantFrom(...'<>*_~`#-+[]()!|\\\n >a1.&:'), maxLength: 80 });
    forAll([markdown], 1_000, (text) => expect(formatMarkdown(text, plain)).not.toMatch(/[<>]/));
  });

  it('reads a text that is nested too deeply as plain text', () => {
    const deep = `${'>'.repeat(20_000)} x`;
    expect(formatMarkdown(deep, shown)).not.toMatch(/<script/);
  });
});

function same(inner: string): string {
  return inner;
}
