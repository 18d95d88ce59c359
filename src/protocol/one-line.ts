// Prepares text from outside (an error, a plugin, a platform, a model) for a log, a report, a terminal or an answer:
// one line of bounded length, without characters that would move a cursor or change the direction of reading.

/** Returns an empty string when there is no text, or when it cannot be shown. */
export function oneLine(value: unknown, maxChars = 500): string {
  const line = errorText(value)
    // The author of the text decides its length, and the patterns below are too slow for very long texts.
    .slice(0, maxChars * 4)
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
    .replace(UNSHOWN, ' ')
    .trim();
  return clip(line, maxChars);
}

/** Emoji, and the letters of scripts whose words are written with joiners. */
const JOINED = `[\\p{Extended_Pictographic}\\ufe0f\\u{1f3fb}-\\u{1f3ff}${'Arab Syrc Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Mymr Khmr'
  .split(' ')
  .map((script) => `\\p{scx=${script}}`)
  .join('')}]`;

/** A joiner between two of these is a part of what is seen: without it one emoji becomes several, and a word another one. */
const UNSHOWN = new RegExp(
  [
    '(?:[\\s\\p{Cc}\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]',
    `(?<!${JOINED})[\\u200c\\u200d]`,
    `[\\u200c\\u200d](?!${JOINED}))+`,
  ].join('|'),
  'gu',
);

/** Returns the words of a thrown value. Code can throw anything, even an object that throws when it is read. */
export function errorText(error: unknown): string {
  try {
    const hasMessage = error instanceof Error || (typeof error === 'object' && error !== null && 'message' in error);
    return String(hasMessage ? error.message : error);
  } catch {
    return '';
  }
}

/** Returns the words of a thrown value together with the places in the code that led to it, for a log. */
export function errorStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Returns the beginning of a text that is too long, with a mark at the end. No character is cut in two. */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text
    .slice(0, Math.max(1, maxChars - 1))
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}
