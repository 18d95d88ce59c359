// What a plugin threw or said, as one bounded line without control characters: it ends up in reports and terminals.

export function oneLine(value: unknown, limit = 400): string {
  const text = textOf(value)
    .slice(0, limit * 4)
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

/** Looking at what was thrown may throw again. */
function textOf(value: unknown): string {
  try {
    return String(value instanceof Error ? value.message || value.name : value);
  } catch {
    return 'something that cannot be shown';
  }
}
