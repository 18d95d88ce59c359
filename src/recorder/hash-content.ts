// What may be known of words that must not be kept: their hash and their length. Numbers, flags and the names of fields
// stay, because no person wrote them.

import { createHash } from 'node:crypto';
import type { JsonValue } from '../protocol/json.ts';
import { RECORD_LIMITS } from './bound-value.ts';

export function hashText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')} (${text.length} characters)`;
}

/** Returns the same shape with each text replaced. Values that are nested too deeply or too numerous are left out. */
export function hashContent(value: unknown, depth = 0): JsonValue {
  if (typeof value === 'string') return hashText(value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null || depth >= RECORD_LIMITS.depth) return null;
  if (Array.isArray(value)) {
    return value.slice(0, RECORD_LIMITS.items).map((item) => hashContent(item, depth + 1));
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    fields.slice(0, RECORD_LIMITS.keys).map(([name, field]) => [name, hashContent(field, depth + 1)]),
  );
}
