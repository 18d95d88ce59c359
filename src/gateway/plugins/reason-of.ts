// What a plugin threw or answered, as words for an operator's log: one line, bounded, without control characters. Anything
// can be thrown, even something that throws when it is looked at.

const MAX_CHARS = 500;

export function reasonOf(error: unknown): string {
  return plainLine(wordsOf(error), MAX_CHARS) || 'it did not say why';
}

export function plainLine(text: string, maxChars: number): string {
  const line = text.replace(/[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function wordsOf(error: unknown): string {
  try {
    if (error instanceof Error) return String(error.message);
    if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
    return String(error);
  } catch {
    return '';
  }
}
