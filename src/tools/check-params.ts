// Checks what a model wrote against a tool's JSON Schema, in sentences that a model can act on. Knows the part of JSON
// Schema that describes parameters: types, required, enum, bounds, lists and closed objects. Words that it does not
// know are passed over, so a plugin's richer schema is never a reason to refuse a good call.

import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { ToolInputError } from './errors.ts';
import type { Tool } from './tool.ts';

/** More than these and nobody reads them. */
const MAX_PROBLEMS = 5;

/** Returns what is wrong, a sentence each; none when the parameters will do. */
export function checkParams(schema: JsonObject, params: JsonValue): readonly string[] {
  const problems: string[] = [];
  checkValue(schema, params, '', problems);
  if (problems.length <= MAX_PROBLEMS) return problems;
  return [...problems.slice(0, MAX_PROBLEMS), `There are ${problems.length - MAX_PROBLEMS} more problems.`];
}

/** The parameters as the type that the schema describes; the caller vouches that the two agree. */
export function checkedParams<Params>(tool: Pick<Tool, 'name' | 'parameters'>, params: JsonObject): Params {
  const problems = checkParams(tool.parameters, params);
  if (problems.length > 0) throw new ToolInputError({ tool: tool.name, problems });
  return params as unknown as Params;
}

function checkValue(schema: JsonObject, value: JsonValue, where: string, problems: string[]): void {
  const name = where === '' ? 'The parameters' : where;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    const expected = types.map((type) => TYPE_NAMES[type] ?? type).join(' or ');
    problems.push(`${name} must be ${expected}, not ${describe(value)}.`);
    return;
  }
  const allowed = 'const' in schema ? [schema.const] : schema.enum;
  if (Array.isArray(allowed) && !allowed.some((choice) => isSame(choice, value))) {
    problems.push(
      `${name} must be one of ${allowed.map((choice) => JSON.stringify(choice)).join(', ')}, not ${describe(value)}.`,
    );
  }
  if (typeof value === 'string') checkBounds(schema, value.length, 'Length', 'characters', name, problems);
  if (typeof value === 'number') checkNumber(schema, value, name, problems);
  if (Array.isArray(value)) checkList(schema, value, where, problems);
  else if (isJsonObject(value)) checkObject(schema, value, where, problems);
}

function checkObject(schema: JsonObject, value: JsonObject, where: string, problems: string[]): void {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const known = Object.keys(properties);
  const path = (key: string) => (where === '' ? key : `${where}.${key}`);
  for (const key of Array.isArray(schema.required) ? schema.required : []) {
    if (typeof key === 'string' && !Object.hasOwn(value, key)) problems.push(`${path(key)} is required.`);
  }
  for (const [key, member] of Object.entries(value)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (isJsonObject(own)) checkValue(own, member, path(key), problems);
    else if (own !== undefined) continue;
    else if (schema.additionalProperties === false) problems.push(unknownKey(path(key), key, known));
    else if (isJsonObject(schema.additionalProperties)) {
      checkValue(schema.additionalProperties, member, path(key), problems);
    }
  }
}

function unknownKey(path: string, key: string, known: readonly string[]): string {
  const meant = nearMatch(key, known);
  const hint = meant
    ? `did you mean ${meant}?`
    : known.length > 0
      ? `there are ${known.join(', ')}.`
      : 'there are none.';
  return `There is no parameter ${clip(path)}; ${hint}`;
}

function checkList(schema: JsonObject, value: readonly JsonValue[], where: string, problems: string[]): void {
  const name = where === '' ? 'The parameters' : where;
  checkBounds(schema, value.length, 'Items', 'entries', name, problems);
  const { items } = schema;
  if (!isJsonObject(items)) return;
  value.forEach((entry, index) => {
    checkValue(items, entry, `${where}[${index}]`, problems);
  });
}

function checkBounds(
  schema: JsonObject,
  size: number,
  what: 'Length' | 'Items',
  noun: string,
  name: string,
  problems: string[],
): void {
  const [least, most] = [schema[`min${what}`], schema[`max${what}`]];
  if (typeof least === 'number' && size < least) {
    const enough = least === 1 ? 'must not be empty' : `must have at least ${least} ${noun}, not ${size}`;
    problems.push(`${name} ${enough}.`);
  }
  if (typeof most === 'number' && size > most) {
    problems.push(`${name} must have at most ${most} ${noun}, not ${size}.`);
  }
}

function checkNumber(schema: JsonObject, value: number, name: string, problems: string[]): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const refuse = (bound: string) => problems.push(`${name} must be ${bound}, not ${value}.`);
  if (typeof minimum === 'number' && value < minimum) refuse(`at least ${minimum}`);
  if (typeof maximum === 'number' && value > maximum) refuse(`at most ${maximum}`);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) refuse(`above ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) refuse(`below ${exclusiveMaximum}`);
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function typesOf({ type }: JsonObject): readonly string[] {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((each) => typeof each === 'string') : [];
}

function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'null':
      return value === null;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

function isSame(a: JsonValue, b: JsonValue): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

/** What was found, short: a model recognises its own words. */
function describe(value: JsonValue): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  return clip(JSON.stringify(value));
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
