// Words from elsewhere (an error, a plugin, a platform, a model) before they stand in a log, a report, a terminal or an
// answer: on one line, of bounded length, without characters that would move a cursor or turn the direction of reading.

/** Empty when there is nothing to say, or when it cannot be shown. */
export function oneLine(value: unknown, maxChars = 500): string {
  const line = errorText(value)
    // Somebody else decides how long it is, and the patterns below are not made for that.
    .slice(0, maxChars * 4)
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
    .replace(/[\s\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu, ' ')
    .trim();
  return clip(line, maxChars);
}

/** What was thrown, in its own words. Anything can be thrown, even something that throws when it is looked at. */
export function errorText(error: unknown): string {
  try {
    const hasMessage = error instanceof Error || (typeof error === 'object' && error !== null && 'message' in error);
    return String(hasMessage ? error.message : error);
  } catch {
    return '';
  }
}

/** The beginning of a text that is too long, with a mark; no character is cut in two. */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text
    .slice(0, Math.max(1, maxChars - 1))
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}
