// What a handler changed, in a form that a person can read: for a text the part that is new and the part that is gone,
// for any other value what it was and what it is. Length and number are bounded, because values may be of any length.
// The code that stores the changes must take secrets out.

import { commonPrefix, commonSuffix, isHighSurrogate } from '../protocol/common-ends.ts';

export interface FieldChange {
  /** The path of the field, such as `content` or `params.command`. */
  readonly field: string;
  /** The position of the first character of a text that differs. */
  readonly at?: number | undefined;
  readonly removed?: string | undefined;
  readonly added?: string | undefined;
  /** The JSON text of any other value. Absent where there was, or is, no value. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Adds the changes of one field. */
export function addChanges(changes: FieldChange[], field: string, before: unknown, after: unknown): void {
  compare(changes, field, before, after, 0);
}

const MAX_CHARACTERS = 500;
const MAX_CHANGES = 20;
const MAX_DEPTH = 4;

function compare(changes: FieldChange[], field: string, before: unknown, after: unknown, depth: number): void {
  if (before === after || changes.length >= MAX_CHANGES) return;
  if (typeof after === 'string' && (before === undefined || typeof before === 'string')) {
    changes.push(textChange(field, before ?? '', after));
  } else if (depth < MAX_DEPTH && isObject(before) && isObject(after) && hasParts(before, after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(changes, `${field}.${shorten(key)}`, partOf(before, key), partOf(after, key), depth + 1);
    }
  } else {
    const shown = { before: asJson(before), after: asJson(after) };
    // Values with the same JSON text are equal, at any depth.
    if (shown.before !== shown.after) changes.push(pruned(field, shown.before, shown.after));
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * Two objects, or two lists of the same length, are compared part by part; a list that grew or shrank is shown whole.
 */
function hasParts(before: object, after: object): boolean {
  if (!Array.isArray(before) && !Array.isArray(after)) return true;
  return Array.isArray(before) && Array.isArray(after) && before.length === after.length;
}

function partOf(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** The common beginning and the common end are left out. */
function textChange(field: string, before: string, after: string): FieldChange {
  // Appending is by far the most common change, and it is found without comparing every character.
  if (after.startsWith(before)) return { field, at: before.length, added: shorten(after.slice(before.length)) };
  const start = commonPrefix(before, after);
  const end = commonSuffix(before, after, start);
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  if (added === '') return { field, at: start, removed: shorten(removed) };
  if (removed === '') return { field, at: start, added: shorten(added) };
  return { field, at: start, removed: shorten(removed), added: shorten(added) };
}

function pruned(field: string, before: string | undefined, after: string | undefined): FieldChange {
  return {
    field,
    ...(before === undefined ? {} : { before: shorten(before) }),
    ...(after === undefined ? {} : { after: shorten(after) }),
  };
}

function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return '"a value that cannot be shown"';
  }
}

function shorten(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const whole = isHighSurrogate(text.charCodeAt(MAX_CHARACTERS - 1)) ? MAX_CHARACTERS - 1 : MAX_CHARACTERS;
  return `${text.slice(0, whole)}…[${text.length - whole} more characters]`;
}
