// Checks a configuration against the schema: which values are wrong, and which keys no setting has. It names places
// only as paths; the caller knows the files.

import { z } from 'zod';
import { nearMatch } from '../protocol/near-match.ts';
import { clip } from '../protocol/one-line.ts';
import { type ConfigPath, parseKeyPattern, valueAt } from './config-path.ts';
import { hasOpenClawKeysBelow, openClawKeyOf } from './list-unused-settings.ts';
import { isPlainObject } from './plain-object.ts';
import { configSchema } from './schema.ts';
import { unknownKeyPolicies } from './schema-kinds.ts';

export interface ConfigFault {
  readonly path: ConfigPath;
  /** Completes the sentence "… is". */
  readonly found: string;
  /** Completes the phrase "expected …". */
  readonly expected: string;
}

export interface UnknownKey {
  readonly path: ConfigPath;
  readonly suggestion: string | undefined;
}

/**
 * `written` is the same value before variables were replaced. Faults quote it, so that no secret appears in a message.
 */
export function listConfigFaults(value: unknown, written: unknown): ConfigFault[] {
  const result = configSchema.safeParse(value);
  return result.success ? [] : result.error.issues.flatMap((issue) => faultsOf(issue, written));
}

function faultsOf(issue: z.core.$ZodIssue, written: unknown): ConfigFault[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  if (issue.code === 'unrecognized_keys') {
    const schema = schemaAt(path);
    const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    return issue.keys.map((key) => {
      const suggestion = nearMatch(key, known);
      const hint = suggestion === undefined ? '' : ` (did you mean "${suggestion}"?)`;
      return { path: [...path, key], found: 'not a condition', expected: `one of ${known.join(', ')}${hint}` };
    });
  }
  const found = issue.code === 'custom' ? issue.params?.found : undefined;
  return [
    { path, found: typeof found === 'string' ? found : describe(valueAt(written, path)), expected: issue.message },
  ];
}

function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`;
  return `the text ${JSON.stringify(clip(value, 60))}`;
}

/** Returns the keys that no setting has, each with the setting that was probably meant. */
export function listUnknownKeys(value: unknown): UnknownKey[] {
  const unknown: UnknownKey[] = [];
  visitSchema(configSchema, value, [], (schema, object, at) => {
    const policy = unknownKeyPolicies.get(schema)?.policy;
    if (policy === undefined) return;
    const known = Object.keys(schema.shape);
    for (const key of Object.keys(object)) {
      if (known.includes(key)) continue;
      const path = [...at, key];
      const suggestion = nearMatch(key, known);
      const row = policy === 'warn' ? undefined : openClawKeyOf(path);
      const isTheirs = row !== undefined || (policy !== 'warn' && hasOpenClawKeysBelow(path));
      // When the setting itself is also there, a similar key is more likely another setting than a mistake.
      const isSlip = suggestion !== undefined && !Object.hasOwn(object, suggestion);
      const isNamed = row !== undefined && parseKeyPattern(row.path).length === path.length;
      if (!isTheirs || (isSlip && !isNamed)) unknown.push({ path, suggestion });
    }
  });
  return unknown;
}

type SchemaVisitor = (schema: z.ZodObject, value: Record<string, unknown>, at: ConfigPath) => void;

function visitSchema(schema: Schema, value: unknown, at: ConfigPath, visit: SchemaVisitor): void {
  const inner = unwrap(schema);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visitSchema(stepInto(inner, index), item, [...at, index], visit);
  } else if (isPlainObject(value)) {
    if (inner instanceof z.ZodObject) visit(inner, value, at);
    for (const [key, item] of Object.entries(value)) visitSchema(stepInto(inner, key), item, [...at, key], visit);
  }
}

/** True when Atrium reads the value at this path, or parts of it. That a value is there at all does not count. */
export function isKnownSetting(path: ConfigPath): boolean {
  const schema = schemaAt(path);
  return schema !== undefined && !(schema instanceof z.ZodUnknown);
}

type Schema = z.core.$ZodType | undefined;

function schemaAt(path: ConfigPath): Schema {
  return unwrap(path.reduce<Schema>((schema, part) => stepInto(unwrap(schema), part), configSchema));
}

function unwrap(schema: Schema): Schema {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
}

/** Returns the schema for a part of a value, or undefined where the value is only kept. */
function stepInto(schema: Schema, part: string | number): Schema {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodUnion) return stepIntoOneOf(schema.options, part);
  if (!(schema instanceof z.ZodObject)) return undefined;
  if (Object.hasOwn(schema.shape, part)) return schema.shape[part];
  return schema.def.catchall instanceof z.ZodUnknown ? undefined : schema.def.catchall;
}

/** Of several forms that a value may have, the first that has such a part. */
function stepIntoOneOf(forms: readonly Schema[], part: string | number): Schema {
  for (const form of forms) {
    const found = stepInto(unwrap(form), part);
    if (found !== undefined) return found;
  }
  return undefined;
}
