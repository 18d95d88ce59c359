// The schema of the configuration as the fields of a form: pure, and it knows no component. A part of the schema that has no
// simple form is one field in which JSON is written.

import type { JsonObject, JsonValue } from '../../src/protocol/json.ts';

export type FieldKind = 'flag' | 'number' | 'text' | 'choice' | 'texts' | 'secret' | 'json';

export interface SettingField {
  /** Its address, as commands take it: `agents.list[0].model`. */
  readonly setting: string;
  readonly name: string;
  readonly description: string;
  readonly kind: FieldKind;
  readonly choices?: readonly string[] | undefined;
  /** Undefined when it is not set, so that its default holds. */
  readonly value: JsonValue | undefined;
}

export interface SettingSection {
  readonly name: string;
  readonly fields: readonly SettingField[];
  /** How many of the fields are set. */
  readonly set: number;
}

interface Schema {
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
  readonly items?: Schema | undefined;
  readonly enum?: readonly JsonValue[] | undefined;
  readonly const?: JsonValue | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly $ref?: string | undefined;
}

/** Deeper than any setting, in case that a schema names itself. */
const DEEPEST = 8;

export function readSections(root: object, values: JsonObject): readonly SettingSection[] {
  const schema = root as Schema & { readonly $defs?: Readonly<Record<string, Schema>> };
  const resolve = (given: Schema): Schema => {
    const name = given.$ref?.replace(/^#\/\$defs\//, '');
    return name === undefined ? given : { ...(schema.$defs?.[name] ?? {}), ...given };
  };
  const fieldsOf = (
    given: Schema,
    path: readonly (string | number)[],
    value: JsonValue | undefined,
  ): SettingField[] => {
    const own = resolve(given);
    const object = isObject(value) ? value : {};
    if (path.length < DEEPEST && own.properties && !isSecret(own)) {
      const named = Object.entries(own.properties).flatMap(([key, inner]) =>
        fieldsOf(inner, [...path, key], object[key]),
      );
      if (named.length > 0) return named;
    }
    const each = typeof own.additionalProperties === 'object' ? own.additionalProperties : undefined;
    if (
      path.length < DEEPEST &&
      each &&
      isObject(value) &&
      Object.keys(value).length > 0 &&
      hasProperties(resolve(each))
    )
      return Object.entries(value).flatMap(([key, inner]) => fieldsOf(each, [...path, key], inner));
    if (
      path.length < DEEPEST &&
      own.items &&
      Array.isArray(value) &&
      value.length > 0 &&
      hasProperties(resolve(own.items))
    ) {
      const { items } = own;
      return value.flatMap((item, index) => fieldsOf(items, [...path, index], item));
    }
    return [
      {
        setting: formatAddress(path),
        name: formatAddress(path.slice(1)) || String(path[0] ?? ''),
        description: own.description ?? '',
        ...kindOf(own, value),
        value,
      },
    ];
  };
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => !name.startsWith('$'))
    .map(([name, section]) => {
      const fields = fieldsOf(section, [name], values[name]);
      return { name, fields, set: fields.filter(({ value }) => value !== undefined).length };
    });
}

/** A path as the gateway reads it: names that are no words stand in quotes. */
export function formatAddress(path: readonly (string | number)[]): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[A-Za-z_$][\w$-]*$/.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

/** The value that a person wrote, or the sentence that says what is wrong with it. */
export function parseField(
  kind: FieldKind,
  text: string,
): { readonly value: JsonValue } | { readonly problem: string } {
  switch (kind) {
    case 'number': {
      const number = Number(text.trim());
      return text.trim() === '' || !Number.isFinite(number) ? { problem: 'This is not a number.' } : { value: number };
    }
    case 'flag':
      return { value: text === 'true' };
    case 'texts':
      return {
        value: text
          .split('\n')
          .map((line) => line.trim())
          .filter(Boolean),
      };
    case 'json':
      try {
        return { value: JSON.parse(text) as JsonValue };
      } catch {
        return { problem: 'This is not JSON.' };
      }
    default:
      return { value: text };
  }
}

/** What stands in the field. */
export function formatField(kind: FieldKind, value: JsonValue | undefined): string {
  if (value === undefined) return '';
  if (kind === 'json') return JSON.stringify(value, null, 2);
  if (kind === 'texts' && Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function kindOf(schema: Schema, value: JsonValue | undefined): Pick<SettingField, 'kind' | 'choices'> {
  if (isSecret(schema)) return { kind: typeof value === 'object' ? 'json' : 'secret' };
  const wanted = simpleKind(schema);
  // A value of another kind is shown as it is, so that nothing of it is lost.
  return fits(wanted.kind, value) ? wanted : { kind: 'json' };
}

function simpleKind(schema: Schema): Pick<SettingField, 'kind' | 'choices'> {
  if (schema.enum?.every((each) => typeof each === 'string'))
    return { kind: 'choice', choices: schema.enum as string[] };
  if (schema.type === 'boolean') return { kind: 'flag' };
  if (schema.type === 'number' || schema.type === 'integer') return { kind: 'number' };
  if (schema.type === 'string') return { kind: 'text' };
  if (schema.type === 'array' && schema.items?.type === 'string') return { kind: 'texts' };
  const simple = schema.anyOf?.find(({ type }) => type === 'string');
  return simple && schema.anyOf?.every(({ type }) => type !== 'boolean' && type !== 'number')
    ? { kind: 'text' }
    : { kind: 'json' };
}

function fits(kind: FieldKind, value: JsonValue | undefined): boolean {
  if (value === undefined || kind === 'json') return true;
  if (kind === 'flag') return typeof value === 'boolean';
  if (kind === 'number') return typeof value === 'number';
  if (kind === 'texts') return Array.isArray(value) && value.every((each) => typeof each === 'string');
  return typeof value === 'string';
}

/** A secret is a text, or a reference to where it is kept. */
function isSecret({ anyOf = [] }: Schema): boolean {
  return anyOf.some(({ properties }) => properties?.source !== undefined && properties.provider !== undefined);
}

function hasProperties({ properties }: Schema): boolean {
  return properties !== undefined && Object.keys(properties).length > 0;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
