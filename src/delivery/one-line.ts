// Reasons come from plugins, platforms and databases, and end up in the store, in logs and in terminals: so they are one
// line, of bounded length, without control characters.

export function oneLine(reason: unknown): string {
  const text = reason instanceof Error ? reason.message : String(reason);
  return text
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, 500);
}
