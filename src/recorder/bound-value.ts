// Reduces a value to what a record may contain, without secrets, and writes it as JSON in the same pass, because a run
// writes hundreds of such values. Each omitted part is replaced by a note. The work is bounded too: parts beyond a limit
// are not read. It accepts any value, because it also receives values that plugins and models made.

import type { JsonValue } from '../protocol/json.ts';
import { hidesField, REDACTED, redactText } from './redact.ts';

export interface ValueLimits {
  readonly characters: number;
  readonly items: number;
  readonly keys: number;
  readonly depth: number;
  /** The number of values that are read in all, at any depth. */
  readonly values: number;
}

export const RECORD_LIMITS: ValueLimits = { characters: 32_768, items: 64, keys: 64, depth: 6, values: 20_000 };

/** The value that `boundJson` writes. */
export function boundValue(value: unknown, limits: ValueLimits = RECORD_LIMITS, redact = redactText): JsonValue {
  return JSON.parse(boundJson(value, limits, redact)) as JsonValue;
}

/** Where two names of an object contain secrets and look alike without them, both are written, and a reader takes the last. */
export function boundJson(value: unknown, limits: ValueLimits = RECORD_LIMITS, redact = redactText): string {
  let left = limits.values;
  const names = keptFor(namesByRedact, redact);
  return bound(value, 0);

  function bound(value: unknown, depth: number): string {
    if (typeof value === 'string') return shownText(value);
    if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : `"${value}"`;
    if (typeof value === 'boolean') return value ? 'true' : 'false';
    if (typeof value === 'bigint') return `"${value}"`;
    if (typeof value !== 'object' || value === null) return 'null';
    if (depth >= limits.depth) return '"[deeper values left out]"';
    if (left <= 0) return '"[more values left out]"';
    if (Array.isArray(value)) return boundList(value, depth);
    if (value instanceof Error)
      return JSON.stringify(boundText(`${value.name}: ${value.message}`, limits.characters, redact));
    return boundObject(value, depth);
  }

  function boundList(list: readonly unknown[], depth: number): string {
    const kept = Math.min(list.length, limits.items);
    left -= kept;
    let items = '';
    for (let index = 0; index < kept; index++) items += `${index === 0 ? '' : ','}${bound(list[index], depth + 1)}`;
    return kept < list.length ? `[${items},"[${list.length - kept} more items left out]"]` : `[${items}]`;
  }

  function boundObject(object: object, depth: number): string {
    const fields = Object.keys(object);
    left -= Math.min(fields.length, limits.keys);
    let kept = '';
    let count = 0;
    for (const name of fields) {
      const field = (object as Readonly<Record<string, unknown>>)[name];
      if (field === undefined || typeof field === 'function') continue;
      count++;
      if (count > limits.keys) continue;
      const shown = hidesField(name, field) ? QUOTED_REDACTED : bound(field, depth + 1);
      kept += `${count === 1 ? '' : ','}${shownName(name)}:${shown}`;
    }
    return count > limits.keys ? `{${kept},"…":"[${count - limits.keys} more keys left out]"}` : `{${kept}}`;
  }

  /** Most texts of a record are short ones that other records have too: ids of handlers, names of files, outcomes. */
  function shownText(text: string): string {
    const isShort = text.length <= Math.min(MAX_KNOWN_LENGTH, limits.characters);
    return isShort ? shownName(text) : JSON.stringify(boundText(text, limits.characters, redact));
  }

  /** Every record has the same few names, so the result for a name is remembered. */
  function shownName(name: string): string {
    const known = names.get(name);
    if (known !== undefined) return known;
    const shown = JSON.stringify(boundText(name, 256, redact));
    if (names.size >= MAX_KNOWN_NAMES) names.clear();
    if (name.length <= MAX_KNOWN_LENGTH) names.set(name, shown);
    return shown;
  }
}

const QUOTED_REDACTED = JSON.stringify(REDACTED);
const MAX_KNOWN_NAMES = 1_024;
const MAX_KNOWN_LENGTH = 64;

/** Secrets are removed before the text is cut; otherwise half of one could stay at the end. */
export function boundText(text: string, limit: number, redact = redactText): string {
  if (text.length <= limit) return text.length < LONG_TEXT ? redact(text) : redactOnce(text, redact);
  const shown = redact(text.slice(0, limit + 512)).slice(0, limit);
  const whole = /[\uD800-\uDBFF]$/.test(shown) ? shown.slice(0, -1) : shown;
  return `${whole}…[${text.length - whole.length} more characters left out]`;
}

/**
 * The same system prompt is recorded with every run, and looking for secrets in it was a third of the cost of
 * recording.
 */
function redactOnce(text: string, redact: (text: string) => string): string {
  const redactedTexts = keptFor(textsByRedact, redact);
  const known = redactedTexts.get(text);
  if (known !== undefined) return known;
  const redacted = redact(text);
  redactedTexts.set(text, redacted);
  const [oldest] = redactedTexts.keys();
  if (redactedTexts.size > MAX_REDACTED_TEXTS && oldest !== undefined) redactedTexts.delete(oldest);
  return redacted;
}

const LONG_TEXT = 2_048;
const MAX_REDACTED_TEXTS = 16;

/** What each way of hiding secrets made of long texts, and of the names of fields as JSON. */
const textsByRedact = new WeakMap<(text: string) => string, Map<string, string>>();
const namesByRedact = new WeakMap<(text: string) => string, Map<string, string>>();

function keptFor(kept: typeof textsByRedact, redact: (text: string) => string): Map<string, string> {
  const known = kept.get(redact);
  if (known) return known;
  const made = new Map<string, string>();
  kept.set(redact, made);
  return made;
}

/** Called when `redact` hides more than before. */
export function forgetRedacted(redact: (text: string) => string): void {
  textsByRedact.delete(redact);
  namesByRedact.delete(redact);
}
