// Whether an output is the recorded one. Recorded values can be plain JSON, stand-ins for what JSON cannot say
// (`{"$undefined":true}`, `{"$number":"NaN"}`), or masks for what differs from run to run (`<iso>`, `<ms>`, `<uuid>`).
// A key whose value is undefined counts as absent, on both sides.

import { AskedFields } from './asked-fields.ts';
import { TextFacts } from './text-facts.ts';

export interface CompareOptions {
  /** Lists are compared as sets. */
  readonly unordered?: boolean;
}

export function matches(expected: unknown, actual: unknown, options: CompareOptions = {}): boolean {
  if (isObject(expected) && actual instanceof TextFacts) {
    return matches(expected, actual.facts(Object.keys(expected)), options);
  }
  if (isObject(expected) && actual instanceof AskedFields) {
    const asked = actual.beside(expected);
    return matches(asked.expected, asked.actual, options);
  }
  const value = decodeStandIn(expected);
  if (typeof value === 'string') return matchesText(value, actual);
  if (Array.isArray(value)) return Array.isArray(actual) && matchesList(value, actual, options);
  if (isObject(value)) return isObject(actual) && !Array.isArray(actual) && matchesObject(value, actual, options);
  return Object.is(value, actual) || (value === 0 && actual === 0);
}

/** An input with its stand-ins replaced by the values they stand for. */
export function decodeStandIns(value: unknown): unknown {
  const decoded = decodeStandIn(value);
  if (Array.isArray(decoded)) return decoded.map(decodeStandIns);
  if (!isObject(decoded)) return decoded;
  return Object.fromEntries(Object.entries(decoded).map(([key, inner]) => [key, decodeStandIns(inner)]));
}

const MASKS: Readonly<Record<string, string>> = {
  '<iso>': String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})`,
  '<ms>': String.raw`\d+(?:\.\d+)?`,
  '<uuid>': '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
};

function matchesText(expected: string, actual: unknown): boolean {
  if (expected === actual) return true;
  const parts = expected.split(/(<iso>|<ms>|<uuid>)/);
  if (parts.length === 1) return false;
  const text = actual instanceof Date ? actual.toISOString() : actual;
  if (typeof text !== 'string' && !(typeof text === 'number' && expected === '<ms>')) return false;
  const pattern = parts.map((part) => MASKS[part] ?? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('');
  return new RegExp(`^${pattern}$`, 's').test(String(text));
}

function matchesList(expected: readonly unknown[], actual: readonly unknown[], options: CompareOptions): boolean {
  if (expected.length !== actual.length) return false;
  if (!options.unordered) return expected.every((value, index) => matches(value, actual[index], options));
  const left = [...actual];
  return expected.every((value) => {
    const index = left.findIndex((candidate) => matches(value, candidate, options));
    if (index !== -1) left.splice(index, 1);
    return index !== -1;
  });
}

function matchesObject(expected: object, actual: object, options: CompareOptions): boolean {
  const wanted = definedEntries(expected);
  const given = definedEntries(actual);
  return (
    wanted.size === given.size &&
    [...wanted].every(([key, value]) => given.has(key) && matches(value, given.get(key), options))
  );
}

function definedEntries(object: object): Map<string, unknown> {
  return new Map(Object.entries(object).filter(([, value]) => decodeStandIn(value) !== undefined));
}

function decodeStandIn(value: unknown): unknown {
  if (!isObject(value)) return value;
  const standIn = value as { $undefined?: unknown; $number?: unknown };
  if (standIn.$undefined === true) return undefined;
  return typeof standIn.$number === 'string' ? Number(standIn.$number) : value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
