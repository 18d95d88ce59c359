// Strings of any characters at all, for properties: every code point but the surrogates, each as likely as the other.
// fast-check calls the same `unit: 'binary'`; that builds a table of a million characters in every process, which takes
// longer than the tests that use it.

import fc from 'fast-check';

export function anyString(bounds: { readonly minLength?: number; readonly maxLength?: number } = {}) {
  return fc.string({ ...bounds, unit: character });
}

const SURROGATES = { first: 0xd800, last: 0xdfff };
const LAST_CODE_POINT = 0x10ffff;

const codePoint = fc.oneof(
  fc.integer({ min: 0, max: SURROGATES.first - 1 }),
  fc.integer({ min: SURROGATES.last + 1, max: LAST_CODE_POINT }),
);

const character = codePoint.map((point) => String.fromCodePoint(point), codePointOf);

/** fast-check asks with whole texts too, to find out where one character ends. */
function codePointOf(text: unknown): number {
  const [point, ...more] = typeof text === 'string' ? Array.from(text, (each) => each.codePointAt(0)) : [];
  if (point === undefined || more.length > 0) throw new Error('not one character');
  return point;
}
