// What a person wrote, as a model reads it: Slack puts ids and escapes into its texts, and here they become names again.
// The names are data that their owners chose; each is one bounded line.

import { oneLine } from '../../src/protocol/one-line.ts';

/** The users that a text mentions, each once. */
export function mentionedIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(MENTION)].map(([, id = '']) => id))];
}

export function readableText(text: string, nameOf: (userId: string) => string): string {
  return text
    .replace(/<([^<>]*)>/g, (_, inner: string) => readable(inner, nameOf))
    .replace(/&(amp|lt|gt);/g, unescaped);
}

/** The text without the mention of this user at its beginning, so that a command behind it is one. */
export function withoutAddress(text: string, userId: string): string {
  const rest = text.replace(new RegExp(`^\\s*<@${userId}(\\|[^>]*)?>[\\s,:]*`), '');
  return rest.trim() === '' ? text : rest;
}

const MENTION = /<@([UWB][A-Z0-9]+)(?:\|[^>]*)?>/g;

function readable(inner: string, nameOf: (userId: string) => string): string {
  const bar = inner.indexOf('|');
  const target = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? '' : inner.slice(bar + 1);
  if (target.startsWith('@')) return `@${oneLine(nameOf(target.slice(1)), 80)}`;
  if (target.startsWith('#')) return `#${oneLine(label || target.slice(1), 80)}`;
  if (target.startsWith('!subteam^')) return label || `@${target.slice('!subteam^'.length)}`;
  if (target.startsWith('!date^')) return label || target;
  if (target.startsWith('!')) return `@${target.slice(1)}`;
  const address = target.replace(/^mailto:/, '');
  return label === '' || label === address || label === target ? address : `${label} (${address})`;
}

function unescaped(_: string, name: string): string {
  return name === 'amp' ? '&' : name === 'lt' ? '<' : '>';
}
