// What is wrong with a request, in plain sentences: the field, and what it must be. They are made from the same JSON
// Schema that the OpenAPI document shows, so a sentence names all limits of a field and not only the one that it broke.

import type { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;
type Issue = Pick<z.core.$ZodIssue, 'code' | 'path' | 'message'> & { readonly keys?: readonly string[] | undefined };

/** One sentence about one issue. `schema` describes the whole value that was checked. */
export function describeProblem({ code, path, message, keys = [] }: Issue, schema: JsonSchema, value: unknown): string {
  const at = path.length === 0 ? 'The request' : path.join('.');
  if (code === 'unrecognized_keys') return `${at} has no field ${keys.map(quote).join(', ')}.`;
  const expected = code === 'custom' ? undefined : describeExpected(schemaAt(schema, path));
  if (expected === undefined) return `${at}: ${message}.`;
  return valueAt(value, path) === undefined
    ? `${at} is missing; it must be ${expected}.`
    : `${at} must be ${expected}.`;
}

function schemaAt(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema | undefined {
  let found: unknown = schema;
  for (const key of path) {
    const { properties, items, additionalProperties } = (found ?? {}) as JsonSchema;
    found = typeof key === 'number' ? items : (properties?.[String(key)] ?? additionalProperties);
  }
  return typeof found === 'object' && found !== null ? (found as JsonSchema) : undefined;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

/** Undefined for a schema that has no short description. */
function describeExpected(schema: JsonSchema | undefined): string | undefined {
  if (schema?.const !== undefined) return quote(schema.const);
  if (schema?.enum) return `${schema.enum.length === 1 ? '' : 'one of '}${schema.enum.map(quote).join(', ')}`;
  if (schema?.anyOf) {
    const choices = schema.anyOf.map((each) => describeExpected(each as JsonSchema));
    return choices.includes(undefined) ? undefined : choices.join(' or ');
  }
  switch (schema?.type) {
    case 'integer':
      return `a whole number${range(schema.minimum, schema.maximum)}`;
    case 'number':
      return `a number${range(schema.minimum, schema.maximum)}`;
    case 'boolean':
      return 'true or false';
    case 'string':
      if (schema.format === 'date-time') return 'a time such as "2026-05-06T09:00:00Z"';
      return schema.pattern === undefined
        ? `a string${size(schema.minLength, schema.maxLength, 'characters')}`
        : undefined;
    case 'array':
      return `a list${size(schema.minItems, schema.maxItems, 'items')}`;
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return undefined;
  }
}

function range(minimum = -Infinity, maximum = Infinity): string {
  // The limits of whole numbers in JavaScript say nothing about the field.
  const hasMinimum = minimum > Number.MIN_SAFE_INTEGER;
  const hasMaximum = maximum < Number.MAX_SAFE_INTEGER;
  if (hasMinimum && hasMaximum) return ` from ${minimum} to ${maximum}`;
  if (hasMinimum) return ` of at least ${minimum}`;
  return hasMaximum ? ` of at most ${maximum}` : '';
}

function size(minimum = 0, maximum: number | undefined, unit: string): string {
  if (minimum > 0 && maximum !== undefined) return ` of ${minimum} to ${maximum} ${unit}`;
  if (maximum !== undefined) return ` of at most ${maximum} ${unit}`;
  return minimum > 0 ? ` of at least ${minimum} ${unit}` : '';
}

function quote(value: unknown): string {
  return JSON.stringify(value);
}
