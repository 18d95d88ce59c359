// Markdown as Discord writes it. Discord renders most of Markdown itself, so this only changes what it does not know
// (tables, deep headings, rules, images) and escapes what is no markup in the source. Whom a text may call is not decided
// here but by `allowed_mentions` of the request.

import { formatMarkdown, type Markup } from '../../src/channels/format-markdown.ts';

export function toDiscord(markdown: string, maxLength: number): string {
  const text = formatMarkdown(markdown, DISCORD_MARKUP);
  // The source was cut to fit and is readable as it is; what was made of it may be longer.
  return text.length <= maxLength && text.trim() !== '' ? text : markdown;
}

export const DISCORD_MARKUP: Markup = {
  text: escapeText,
  bold: (inner) => `**${inner}**`,
  italic: (inner) => `*${inner}*`,
  strike: (inner) => `~~${inner}~~`,
  code: (plain) => {
    const text = plain.replaceAll('`', 'ˋ');
    return text.trim() === '' ? escapeText(plain) : `\`${text}\``;
  },
  codeBlock: (plain, language) => `\`\`\`${language}\n${withoutFences(plain)}\n\`\`\``,
  link: (inner, plainUrl) => {
    if (!/^https?:\/\//i.test(plainUrl))
      return inner === escapeText(plainUrl) ? inner : `${inner} (${escapeText(plainUrl)})`;
    const url = plainUrl.replace(/[\s<>()]/g, (sign) =>
      encodeURIComponent(sign).replace('(', '%28').replace(')', '%29'),
    );
    return inner === escapeText(plainUrl) || inner === '' ? url : `[${inner}](${url})`;
  },
  // Discord knows three levels.
  heading: (inner, level) => (level <= 3 ? `${'#'.repeat(level)} ${inner}` : `**${inner}**`),
  quote: (inner) => inner.replace(/^/gm, '> '),
  item: (inner, marker, depth) => {
    const indent = '  '.repeat(depth);
    const sign = marker === '•' ? '-' : marker;
    return `${indent}${sign} ${inner.replace(/\n+/g, `\n${indent}  `)}`;
  },
  rule: () => '───────────',
};

/** A backslash before every sign that Discord could read as markup, and before those that mean something at a line's start. */
function escapeText(plain: string): string {
  return plain
    .replace(/[\\*_~`|[\]]/g, '\\$&')
    .replace(/^(\s*)([#>+-])/gm, '$1\\$2')
    .replace(/^(\s*\d+)\.(?=\s)/gm, '$1\\.');
}

/** A zero-width space keeps the three signs of a fence apart. */
function withoutFences(plain: string): string {
  return plain.replace(/`(?=``|$)/g, '`\u200b');
}
