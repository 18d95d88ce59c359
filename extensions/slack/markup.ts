// Markdown as Slack writes it, which Slack calls mrkdwn. Only `<`, `>` and `&` can begin something that notifies people
// or leads elsewhere, so these are escaped everywhere; the only `<…>` in the result are links that this file writes.

import { formatMarkdown, type Markup } from '../../src/channels/format-markdown.ts';

export function formatMrkdwn(markdown: string): string {
  return formatMarkdown(markdown, MRKDWN);
}

export function escapeText(plain: string): string {
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const MRKDWN: Markup = {
  text: escapeText,
  bold: (inner) => around('*', inner),
  italic: (inner) => around('_', inner),
  strike: (inner) => around('~', inner),
  // Slack knows no way to write a backtick inside of code.
  code: (plain) => around('`', escapeText(plain).replaceAll('`', 'ˋ')),
  codeBlock: (plain) => `\`\`\`\n${escapeText(plain).replaceAll('```', '``\u200b`')}\n\`\`\``,
  link,
  heading: (inner) => around('*', inner.replaceAll('*', '')),
  quote: (inner) => inner.replace(/^/gm, '> '),
  item: (inner, marker, depth) => {
    const indent = '    '.repeat(depth);
    return `${indent}${marker} ${inner.replaceAll('\n', `\n${indent}  `)}`;
  },
  rule: () => '──────────',
};

/** Slack's marks do not reach over the end of a line. */
function around(mark: string, inner: string): string {
  return inner
    .split('\n')
    .map((line) => (line.trim() === '' ? line : `${mark}${line}${mark}`))
    .join('\n');
}

function link(inner: string, plainUrl: string): string {
  // A link inside of a link, such as an image, is shown as its words.
  const words = inner
    .replace(/<[^|>]*\|([^>]*)>/g, '$1')
    .replace(/<([^>]*)>/g, '$1')
    .replaceAll('\n', ' ');
  const url = urlOf(plainUrl);
  if (url === undefined) return plainUrl === '' ? words : `${words} (${escapeText(plainUrl)})`;
  return words === '' || words === url ? `<${url}>` : `<${url}|${words.replaceAll('|', '¦')}>`;
}

/** Only addresses that a person would open; undefined for any other. */
function urlOf(plain: string): string | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(plain)) return undefined;
  return plain
    .replaceAll('&', '&amp;')
    .replaceAll('<', '%3C')
    .replaceAll('>', '%3E')
    .replaceAll('|', '%7C')
    .replace(/\s/g, '%20');
}
