// The kinds of values that the schema of the configuration is made of. The error of each kind is the phrase that
// completes "expected …"; a kind does not know where a value was found.

import { z } from 'zod';

/**
 * What to do with a key that a section does not list. In Atrium's own sections every such key gets a warning; in
 * sections that are shared with OpenClaw, the keys of OpenClaw get none here: `list-unused-settings.ts` names those that
 * are not used.
 */
export type UnknownKeyPolicy = 'warn' | 'warn-unless-shared';
export const unknownKeyPolicies = z.registry<{ policy: UnknownKeyPolicy }>();

export const flag = () => z.boolean({ error: 'true or false' });
export const text = () => z.string({ error: 'text' });
export const filledText = (expected = 'text that is not blank') =>
  z.string({ error: expected }).regex(/\S/, { error: expected });
/** OpenClaw writes a secret as text, or as a reference such as `{ source: "env", id: "TELEGRAM_BOT_TOKEN" }`. */
export const secret = () =>
  z.union([text(), shared({ source: text().optional(), provider: text().optional(), id: text().optional() })], {
    error: 'text, or a reference to a secret',
  });
const nodePhrase = 'a name of letters, digits, dots, dashes and underscores, up to 63 of them';
/** The name of a gateway among those that share a database. */
export const nodeName = () =>
  z.string({ error: nodePhrase }).regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, { error: nodePhrase });
export const texts = () => z.array(text(), { error: 'a list of texts' });
export const positive = () => z.number({ error: 'a number above 0' }).positive({ error: 'a number above 0' });
export const price = () => z.number({ error: 'a number from 0' }).min(0, { error: 'a number from 0' });
export const wholeNumber = (from: number, to: number) => {
  const error = `a whole number from ${from} to ${to}`;
  return z.number({ error }).int({ error }).min(from, { error }).max(to, { error });
};
export const numberWithin = (from: number, to: number) => {
  const error = `a number from ${from} to ${to}`;
  return z.number({ error }).min(from, { error }).max(to, { error });
};
export const hour = () => wholeNumber(0, 23);
const clockPhrase = 'a time such as "08:30", up to "24:00"';
export const clockTime = () =>
  z.string({ error: clockPhrase }).regex(/^(?:(?:[01]?\d|2[0-3]):[0-5]\d|24:00)$/, { error: clockPhrase });
export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: anyOf(values) });
export const oneOrMore = <Item extends z.ZodType>(item: Item, expected: string) =>
  z.union([item, z.array(item)], { error: `${expected}, or a list of them` });

export function anyOf(values: readonly string[]): string {
  return `one of ${values.map((value) => `"${value}"`).join(', ')}`;
}

export function section<Shape extends z.ZodRawShape>(policy: UnknownKeyPolicy, shape: Shape) {
  return z.looseObject(shape, { error: 'an object' }).register(unknownKeyPolicies, { policy });
}
export const ours = <Shape extends z.ZodRawShape>(shape: Shape) => section('warn', shape);
export const shared = <Shape extends z.ZodRawShape>(shape: Shape) => section('warn-unless-shared', shape);
export const anyObject = () => z.looseObject({}, { error: 'an object' });
export const recordOf = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value, { error: 'an object' });
