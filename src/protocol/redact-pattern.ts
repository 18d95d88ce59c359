// A pattern of `logging.redactPatterns` as people write it, in OpenClaw's two forms: an expression, which ignores case, or
// `/expression/flags`. It is pure; it is compiled elsewhere.

export interface RedactPattern {
  readonly source: string;
  readonly flags: string;
}

const LONGEST = 1_000;
const MOST_REPEATS = 1_000;

export function parseRedactPattern(pattern: string): RedactPattern {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(pattern) ?? [];
  return source === undefined ? { source: pattern, flags: 'i' } : { source, flags: flags ?? '' };
}

/** Why a pattern cannot be used; undefined when it can. Compiling an expression takes no time, whatever it says. */
export function problemOfRedactPattern(pattern: string): string | undefined {
  if (pattern.length > LONGEST) return `it has more than ${LONGEST} characters`;
  const { source, flags } = parseRedactPattern(pattern);
  try {
    if (new RegExp(source, flags).test('')) return 'it matches an empty text, and would hide everything';
  } catch (error) {
    return (error as Error).message;
  }
  // Escaped characters and classes have nothing of what is looked for.
  const bare = source.replace(/\\[^1-9k]/g, '__').replace(/\[[^\]]*\]/g, '_');
  if (/\(\?<?[=!]/.test(bare) || /\\[1-9k]/.test(bare))
    return 'look-ahead, look-behind and references to groups are not there, because they can take for ever';
  const repeats = [...bare.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, least, most]) => [least, most]);
  if (repeats.some((count) => Number(count || 0) > MOST_REPEATS)) return `it repeats more than ${MOST_REPEATS} times`;
  return undefined;
}
