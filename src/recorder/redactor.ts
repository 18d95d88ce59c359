// What hides secrets in records and logs: the forms that Atrium knows, and then the operator's own patterns
// (`logging.redactPatterns`). Own patterns are matched by an engine whose time grows with the length of the text only, so
// that no pattern and no text can hold up the gateway. It is loaded when there are patterns.
//
// Errors: `compileRedactor` rejects with RedactPatternError for a pattern that the engine does not have.

import { RedactPatternError } from '../protocol/errors.ts';
import type { JsonValue } from '../protocol/json.ts';
import { parseRedactPattern } from '../protocol/redact-pattern.ts';
import { REDACTED, redactText, redactValue } from './redact.ts';

export interface Redactor {
  readonly text: (text: string) => string;
  readonly value: (value: JsonValue) => JsonValue;
  /** True when a secret may have blanks in it, so that text that comes in pieces is judged by whole lines. */
  readonly hasOwnPatterns: boolean;
}

export const BUILT_IN_REDACTOR: Redactor = {
  text: redactText,
  value: (value) => redactValue(value),
  hasOwnPatterns: false,
};

export async function compileRedactor(patterns: readonly string[]): Promise<Redactor> {
  if (patterns.length === 0) return BUILT_IN_REDACTOR;
  const { RE2JS } = await import('re2js');
  const own = patterns.map((pattern, index) => {
    const { source, flags } = parseRedactPattern(pattern);
    const bits =
      (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
      (flags.includes('m') ? RE2JS.MULTILINE : 0) |
      (flags.includes('s') ? RE2JS.DOTALL : 0);
    try {
      return RE2JS.compile(RE2JS.translateRegExp(source), bits);
    } catch (error) {
      throw new RedactPatternError({ index, problem: (error as Error).message });
    }
  });
  const text = (whole: string) => {
    let shown = redactText(whole);
    // Asking whether a pattern is there at all is several times faster than replacing.
    for (const pattern of own) if (pattern.test(shown)) shown = pattern.matcher(shown).replaceAll(REDACTED);
    return shown;
  };
  return { text, value: (value) => redactValue(value, text), hasOwnPatterns: true };
}
