// What hides secrets in records and logs: the secrets that this installation holds, word for word; then the forms that
// Atrium knows; then the operator's own patterns (`logging.redactPatterns`). Own patterns are matched by an engine whose
// time grows with the length of the text only, so that no pattern and no text can hold up the gateway. It is loaded when
// there are patterns.
//
// Errors: `compileRedactor` rejects with RedactPatternError for a pattern that the engine does not have.

import { RedactPatternError } from '../protocol/errors.ts';
import type { JsonValue } from '../protocol/json.ts';
import { parseRedactPattern } from '../protocol/redact-pattern.ts';
import { forgetRedacted } from './bound-value.ts';
import { REDACTED, redactText, redactValue } from './redact.ts';

export interface Redactor {
  readonly text: (text: string) => string;
  readonly value: (value: JsonValue) => JsonValue;
  /** True when a secret may have blanks in it, so that text that comes in pieces is judged by whole lines. */
  readonly mayHaveBlanks: boolean;
}

export interface LearningRedactor extends Redactor {
  /** From now on these texts are hidden too. */
  know(secrets: readonly string[]): void;
}

export const BUILT_IN_REDACTOR: Redactor = {
  text: redactText,
  value: (value) => redactValue(value),
  mayHaveBlanks: false,
};

/** Keys that were changed stay known, so the list could grow without end. */
const MOST_KNOWN = 1_000;

type Hide = (text: string) => string;

export async function compileRedactor(patterns: readonly string[] = []): Promise<LearningRedactor> {
  const own = await compilePatterns(patterns);
  let known: readonly string[] = [];
  const text: Hide = (whole) => {
    let shown = whole;
    for (const secret of known) if (shown.includes(secret)) shown = shown.replaceAll(secret, REDACTED);
    return own(redactText(shown));
  };
  return {
    text,
    value: (value) => redactValue(value, text),
    get mayHaveBlanks() {
      return patterns.length > 0 || known.some((secret) => /\s/.test(secret));
    },
    know(secrets) {
      const told = secrets.filter((secret) => secret !== '').flatMap((secret) => [secret, escaped(secret)]);
      const all = [...new Set([...told, ...known])].slice(0, MOST_KNOWN);
      // One secret may contain another one, and is to be hidden as a whole.
      known = all.sort((a, b) => b.length - a.length);
      forgetRedacted(text);
    },
  };
}

/** How the text stands inside of a text of JSON. */
function escaped(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

async function compilePatterns(patterns: readonly string[]): Promise<Hide> {
  if (patterns.length === 0) return (text) => text;
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
  return (text) => {
    let shown = text;
    // Asking whether a pattern is there at all is several times faster than replacing.
    for (const pattern of own) if (pattern.test(shown)) shown = pattern.matcher(shown).replaceAll(REDACTED);
    return shown;
  };
}
