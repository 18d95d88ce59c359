import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../src/testkit/for-all.ts';
import { readTelegramHtml } from '../../src/testkit/telegram/telegram-html.ts';
import { seenText, telegramHtml } from './markup.ts';

describe('Markdown as the HTML of Telegram', () => {
  it.each([
    ['**bold**, *it*, ~~old~~ and `a < b`', '<b>bold</b>, <i>it</i>, <s>old</s> and <code>a &lt; b</code>'],
    ['# Title\n\ntext', '<b>Title</b>\n\ntext'],
    ['```ts\nif (a < b) {}\n```', '<pre><code class="language-ts">if (a &lt; b) {}</code></pre>'],
    ['```\nplain\n```', '<pre>plain</pre>'],
    ['[docs](https://example.com/a?b=c&d="e")', '<a href="https://example.com/a?b=c&amp;d=&quot;e&quot;">docs</a>'],
    ['[Ann](tg://user?id=101)', 'Ann'],
    ['[x](javascript:alert(1))', 'x'],
    ['> one\n> > two', '<blockquote>one\n\ntwo</blockquote>'],
    ['- one\n  - two', '• one\n  • two'],
    ['<b>not mine</b>', '&lt;b&gt;not mine&lt;/b&gt;'],
    ['an open ```ts\nfence', 'an open ```ts\nfence'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', '<pre>a  b\n─  ─\n1  2</pre>'],
  ])('%j', (markdown, expected) => {
    expect(telegramHtml(markdown, 4_096)).toBe(expected);
  });

  it('is always taken by Telegram, shows no more than it may, and makes no other tags and links than its own', () => {
    const words = fc.constantFrom(
      '**',
      '*',
      '`',
      '```ts\n',
      '> ',
      '\n',
      '[a](tg://user?id=1)',
      '<b>',
      '</b>',
      '<script>',
      '&lt;',
      '&',
      '"',
    );
    const more = fc.constantFrom(
      '| a | b |\n|---|---|\n',
      '| x',
      '- ',
      '1. ',
      '# ',
      '[x](https://a.b/"><b>)',
      '@ann',
      'text',
      '😀',
      '~~',
      '\\',
      '---\n',
    );
    const markdown = fc.array(fc.oneof(words, more, fc.string({ maxLength: 6 })), { maxLength: 40 });
    forAll([markdown], 1_500, (parts) => {
      const html = telegramHtml(parts.join(''), 200);
      if (html === undefined) return;
      const { text, entities } = readTelegramHtml(html);
      expect(text).toBe(seenText(html));
      expect(text.trim().length).toBeLessThanOrEqual(200);
      for (const { url } of entities) if (url !== undefined) expect(url).toMatch(/^(https?:\/\/|mailto:)/i);
      expect(html.match(/<\/?[a-z]+/g) ?? []).toSatisfy((tags: string[]) =>
        tags.every((tag) => /^<\/?(b|i|s|code|pre|a|blockquote)$/.test(tag)),
      );
    });
  });
});
