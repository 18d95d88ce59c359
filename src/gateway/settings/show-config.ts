// A configuration as it may be shown: what its name or its form marks as a secret is hidden. A reference to a variable
// (`${NAME}`) stays, because it tells where the secret is and not what it is.

import type { JsonValue } from '../../protocol/json.ts';
import { hidesField, REDACTED, redactValue } from '../../recorder/redact.ts';

/** Every text in an object of one of these names is hidden. */
export const SECRET_SECTIONS: ReadonlySet<string> = new Set(['headers', 'env', 'vars']);
const REFERENCE = /^\$\{[A-Z_][A-Z0-9_]*\}$/;

/** `name` is the last name on the way to the value, which may mark it as a secret. */
export function showConfig(value: JsonValue, name = ''): JsonValue {
  if (typeof value === 'string' && REFERENCE.test(value)) return value;
  if (Array.isArray(value)) return value.map((item) => showConfig(item, name));
  if (typeof value === 'object' && value !== null) {
    // Any header and any variable may hold a secret, whatever its name is.
    const isAllSecret = SECRET_SECTIONS.has(name);
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        isAllSecret && typeof inner === 'string' && !REFERENCE.test(inner) ? REDACTED : showConfig(inner, key),
      ]),
    );
  }
  return hidesField(name, value) ? REDACTED : redactValue(value);
}
