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
  const text = new BoundText(limits, redact);
  text.add(value, 0);
  return text.json;
}

/** The text of one value, which grows piece by piece: texts of its parts that are joined later would be garbage. */
class BoundText {
  json = '';
  readonly #limits: ValueLimits;
  readonly #redact: Redact;
  readonly #names: Map<string, ShownName>;
  /** How many values may still be read. */
  #left: number;

  constructor(limits: ValueLimits, redact: Redact) {
    this.#limits = limits;
    this.#redact = redact;
    this.#names = keptFor(namesByRedact, redact);
    this.#left = limits.values;
  }

  add(value: unknown, depth: number): void {
    if (typeof value === 'string') this.json += this.#shownText(value);
    else if (typeof value === 'number') this.json += Number.isFinite(value) ? `${value}` : `"${value}"`;
    else if (typeof value === 'boolean') this.json += value ? 'true' : 'false';
    else if (typeof value === 'bigint') this.json += `"${value}"`;
    else if (typeof value !== 'object' || value === null) this.json += 'null';
    else if (depth >= this.#limits.depth) this.json += '"[deeper values left out]"';
    else if (this.#left <= 0) this.json += '"[more values left out]"';
    else if (Array.isArray(value)) this.#addList(value, depth);
    else if (value instanceof Error) this.json += this.#quoted(`${value.name}: ${value.message}`);
    else this.#addObject(value, depth);
  }

  #addList(list: readonly unknown[], depth: number): void {
    const kept = Math.min(list.length, this.#limits.items);
    this.#left -= kept;
    if (kept === 0) {
      this.json += list.length === 0 ? '[]' : `["[${list.length} more items left out]"]`;
      return;
    }
    for (let index = 0; index < kept; index++) {
      this.json += index === 0 ? '[' : ',';
      this.add(list[index], depth + 1);
    }
    this.json += kept < list.length ? `,"[${list.length - kept} more items left out]"]` : ']';
  }

  #addObject(object: object, depth: number): void {
    const { keys } = this.#limits;
    const fields = Object.keys(object);
    this.#left -= Math.min(fields.length, keys);
    let count = 0;
    for (const name of fields) {
      const field = (object as Readonly<Record<string, unknown>>)[name];
      if (field === undefined || typeof field === 'function') continue;
      count++;
      if (count > keys) continue;
      const { first, next } = this.#shownName(name);
      this.json += count === 1 ? first : next;
      if (hidesField(name, field)) this.json += QUOTED_REDACTED;
      else this.add(field, depth + 1);
    }
    if (count === 0) this.json += '{}';
    else this.json += count > keys ? `,"…":"[${count - keys} more keys left out]"}` : '}';
  }

  /** Most texts of a record are short ones that other records have too: ids of handlers, names of files, outcomes. */
  #shownText(text: string): string {
    const isShort = text.length <= Math.min(MAX_KNOWN_LENGTH, this.#limits.characters);
    return isShort ? this.#shownName(text).quoted : this.#quoted(text);
  }

  #quoted(text: string): string {
    return JSON.stringify(boundText(text, this.#limits.characters, this.#redact));
  }

  /** Every record has the same few names, so the result for a name is remembered. */
  #shownName(name: string): ShownName {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const quoted = JSON.stringify(boundText(name, 256, this.#redact));
    const shown = { quoted, first: `{${quoted}:`, next: `,${quoted}:` };
    if (this.#names.size >= MAX_KNOWN_NAMES) this.#names.clear();
    if (name.length <= MAX_KNOWN_LENGTH) this.#names.set(name, shown);
    return shown;
  }
}

type Redact = (text: string) => string;

/** A short text as JSON: as a value, and as the name of the first field of an object and of a later one. */
interface ShownName {
  readonly quoted: string;
  readonly first: string;
  readonly next: string;
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
function redactOnce(text: string, redact: Redact): string {
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
const textsByRedact = new WeakMap<Redact, Map<string, string>>();
const namesByRedact = new WeakMap<Redact, Map<string, ShownName>>();

function keptFor<Shown>(kept: WeakMap<Redact, Map<string, Shown>>, redact: Redact): Map<string, Shown> {
  const known = kept.get(redact);
  if (known) return known;
  const made = new Map<string, Shown>();
  kept.set(redact, made);
  return made;
}

/** Called when `redact` hides more than before. */
export function forgetRedacted(redact: Redact): void {
  textsByRedact.delete(redact);
  namesByRedact.delete(redact);
}
