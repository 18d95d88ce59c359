// Turns Markdown, as models write it, into the markup of a platform. The platform says how it writes each kind of text;
// this file only knows Markdown. Text that is no markup is escaped by the platform's own rule, so that no answer can
// smuggle in markup or a mention. Never throws: a text that cannot be read is escaped as a whole.

import { lexer, type Token, type Tokens } from 'marked';

/** How a platform writes text. Every function gets text that is already in the platform's markup, except where it says plain. */
export interface Markup {
  /** Escapes plain text. */
  text(plain: string): string;
  bold(inner: string): string;
  italic(inner: string): string;
  strike(inner: string): string;
  code(plain: string): string;
  codeBlock(plain: string, language: string): string;
  link(inner: string, plainUrl: string): string;
  heading(inner: string, level: number): string;
  quote(inner: string): string;
  /** One entry of a list with its marker, `•` or `3.`; a nested one has a higher depth. */
  item(inner: string, marker: string, depth: number): string;
  rule(): string;
}

export function formatMarkdown(markdown: string, markup: Markup): string {
  try {
    return blocks(lexer(markdown), markup, 0);
  } catch {
    return markup.text(markdown);
  }
}

function blocks(tokens: readonly Token[], markup: Markup, depth: number): string {
  return tokens
    .map((token) => block(token, markup, depth))
    .filter((text) => text !== '')
    .join('\n\n');
}

function block(token: Token, markup: Markup, depth: number): string {
  switch (token.type) {
    case 'space':
    case 'def':
      return '';
    case 'heading':
      return markup.heading(inline((token as Tokens.Heading).tokens, markup), (token as Tokens.Heading).depth);
    case 'code':
      return markup.codeBlock((token as Tokens.Code).text, languageOf((token as Tokens.Code).lang));
    case 'blockquote':
      return markup.quote(blocks((token as Tokens.Blockquote).tokens, markup, depth));
    case 'list':
      return list(token as Tokens.List, markup, depth);
    case 'table':
      return markup.codeBlock(plainTable(token as Tokens.Table), '');
    case 'hr':
      return markup.rule();
    case 'paragraph':
    case 'text': {
      const { tokens, raw } = token as Tokens.Text;
      return tokens ? inline(tokens, markup) : markup.text(raw);
    }
    default:
      // HTML is not markup here: people see it as it was written.
      return markup.text(token.raw.replace(/\n+$/, ''));
  }
}

function list({ items, ordered, start }: Tokens.List, markup: Markup, depth: number): string {
  return items
    .map((item, index) => {
      const marker = ordered ? `${Number(start || 1) + index}.` : '•';
      const nested = item.tokens.filter(({ type }) => type === 'list');
      const own = item.tokens.filter(({ type }) => type !== 'list' && type !== 'checkbox');
      const box = item.task ? `${item.checked ? '☑' : '☐'} ` : '';
      const first = markup.item(markup.text(box) + blocks(own, markup, depth), marker, depth);
      return [first, ...nested.map((each) => list(each as Tokens.List, markup, depth + 1))].join('\n');
    })
    .join('\n');
}

function inline(tokens: readonly Token[], markup: Markup): string {
  return tokens.map((token) => span(token, markup)).join('');
}

function span(token: Token, markup: Markup): string {
  switch (token.type) {
    case 'strong':
      return markup.bold(inline((token as Tokens.Strong).tokens, markup));
    case 'em':
      return markup.italic(inline((token as Tokens.Em).tokens, markup));
    case 'del':
      return markup.strike(inline((token as Tokens.Del).tokens, markup));
    case 'codespan':
      return markup.code((token as Tokens.Codespan).text);
    case 'br':
      return '\n';
    case 'link': {
      const { href, tokens } = token as Tokens.Link;
      return markup.link(inline(tokens, markup), href);
    }
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return markup.link(markup.text(text || href), href);
    }
    case 'escape':
      return markup.text((token as Tokens.Escape).text);
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inline(tokens, markup) : markup.text(text);
    }
    default:
      return markup.text(token.raw);
  }
}

/** Platforms without tables show one in a fixed-width font, with columns of equal width. */
function plainTable({ header, rows }: Tokens.Table): string {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => plain(tokens)));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const [first = [], ...others] = cells;
  return [line(first), widths.map((width) => '─'.repeat(width)).join('  '), ...others.map(line)].join('\n');
}

function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? token.text : token.raw,
    )
    .join('');
}

/** Only the first word of an info string names a language, and only harmless characters of it are kept. */
function languageOf(info: string | undefined): string {
  return /^[\w+#.-]{1,32}/.exec(info ?? '')?.[0] ?? '';
}
