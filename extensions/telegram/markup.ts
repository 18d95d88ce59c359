// Markdown as Telegram's HTML, which is the markup that needs the fewest escapes. Only the tags that Telegram knows are
// written, and everything else is escaped, so no answer can bring in a tag, and no link can mention a person.

import { formatMarkdown, type Markup } from '../../src/channels/format-markdown.ts';

/**
 * The HTML of a text, or undefined when it must be sent as it is: nothing of it would be seen, or people would see more
 * characters than a message may have.
 */
export function telegramHtml(markdown: string, maxLength: number): string | undefined {
  const html = formatMarkdown(markdown, MARKUP);
  const { length } = seenText(html).trim();
  return length === 0 || length > maxLength ? undefined : html;
}

/** The text that people see of HTML that was made here. */
export function seenText(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&(lt|gt|quot|amp);/g, (_, name: keyof typeof SIGNS) => SIGNS[name]);
}

const SIGNS = { lt: '<', gt: '>', quot: '"', amp: '&' };

const MARKUP: Markup = {
  text: escaped,
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  strike: (inner) => `<s>${inner}</s>`,
  code: (plain) => `<code>${escaped(plain)}</code>`,
  codeBlock: (plain, language) =>
    language === ''
      ? `<pre>${escaped(plain)}</pre>`
      : `<pre><code class="language-${escaped(language)}">${escaped(plain)}</code></pre>`,
  link: (inner, plainUrl) => (isShownAsLink(plainUrl) ? `<a href="${escaped(plainUrl)}">${inner}</a>` : inner),
  heading: (inner) => `<b>${inner}</b>`,
  // Telegram refuses a quote inside a quote.
  quote: (inner) => `<blockquote>${inner.replace(/<\/?blockquote>/g, '')}</blockquote>`,
  item: (inner, marker, depth) => `${'  '.repeat(depth)}${marker} ${inner}`,
  rule: () => '———',
};

/** A `tg:` address can mention a person or act in the client, so it stays text. */
function isShownAsLink(url: string): boolean {
  return /^(https?:\/\/|mailto:)[^\s]+$/i.test(url);
}

function escaped(plain: string): string {
  return plain.replace(/[<>&"]/g, (sign) =>
    sign === '<' ? '&lt;' : sign === '>' ? '&gt;' : sign === '&' ? '&amp;' : '&quot;',
  );
}
