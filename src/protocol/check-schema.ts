// Checks a value against a JSON Schema that comes from outside: from a plugin or an MCP server. It understands draft-07
// and 2020-12. It fetches nothing and does not check formats. Reading the schema and checking a value are both limited
// in time, because a pattern may take for ever; a schema of plain words needs no limit for its values, and none is set,
// because setting one costs more than the check. The caller decides how a problem is worded.
//
// Result: a schema that cannot be used is an outcome with the reason. Errors: none.

import { type Context, createContext, Script } from 'node:vm';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { oneLine } from './one-line.ts';

export type SchemaProblem = ErrorObject<string, Readonly<Record<string, unknown>>, unknown>;

export type SchemaCheck =
  | { readonly kind: 'checked'; readonly problems: readonly SchemaProblem[] }
  /** The schema cannot be used to check any value. */
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'overran'; readonly timeoutMs: number };

export interface CheckSchemaOptions {
  /** When true, the defaults of the schema are written into the value. */
  readonly fillsDefaults?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 2_000;
const MAX_REASON_CHARS = 200;

export async function checkSchema(
  schema: JsonObject,
  value: JsonValue,
  { fillsDefaults = false, timeoutMs = TIMEOUT_MS }: CheckSchemaOptions = {},
): Promise<SchemaCheck> {
  const known = fillsDefaults ? FILLING : PLAIN;
  const compiled = known.get(schema) ?? (await compileOnce(schema, fillsDefaults, timeoutMs));
  known.set(schema, compiled);
  if (typeof compiled !== 'function') return compiled;
  try {
    const check = () => (compiled(value) ? [] : (compiled.errors ?? []));
    const run = isPlain(schema) ? ({ isOver: true, result: check() } as const) : runBounded(check, timeoutMs);
    return run.isOver ? { kind: 'checked', problems: run.result } : { kind: 'overran', timeoutMs };
  } catch (error) {
    return unusable(error);
  }
}

/** The result of reading a schema. It is kept as long as the schema itself. */
type Compiled = ValidateFunction | Exclude<SchemaCheck, { readonly kind: 'checked' }>;
const PLAIN = new WeakMap<JsonObject, Compiled>();
const FILLING = new WeakMap<JsonObject, Compiled>();

/**
 * True when the time that a check takes is bounded by the sizes of the schema and the value: the schema has only words
 * that look at a part of the value once. Patterns, references and comparisons of all items with each other are no such words.
 */
function isPlain(schema: JsonObject): boolean {
  const known = PLAINNESS.get(schema);
  if (known !== undefined) return known;
  const isSo = hasPlainWords(schema);
  PLAINNESS.set(schema, isSo);
  return isSo;
}

const PLAINNESS = new WeakMap<JsonObject, boolean>();

function hasPlainWords(schema: JsonValue | undefined): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).every(([word, value]) => {
    if (PLAIN_WORDS.has(word)) return true;
    if (word === 'items' || word === 'additionalProperties') return hasPlainWords(value);
    if (word === 'anyOf' || word === 'oneOf') return Array.isArray(value) && value.every(hasPlainWords);
    return word === 'properties' && isJsonObject(value) && Object.values(value).every(hasPlainWords);
  });
}

const PLAIN_WORDS: ReadonlySet<string> = new Set([
  ...['$schema', 'title', 'description', 'default', 'examples', 'nullable', 'type', 'enum', 'const', 'required'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
]);

/** A plugin or server that is loaded again brings equal schemas as new objects. Reading one takes milliseconds. */
const BY_TEXT = new Map<string, Compiled>();
const MOST_TEXTS = 500;
const LONGEST_TEXT = 20_000;

async function compileOnce(schema: JsonObject, useDefaults: boolean, timeoutMs: number): Promise<Compiled> {
  const text = `${useDefaults} ${JSON.stringify(schema)}`;
  const known = BY_TEXT.get(text);
  if (known) return known;
  const compiled = await compile(schema, useDefaults, timeoutMs);
  // Only a schema that could be read is kept: whether reading takes too long depends on the limit and on the machine.
  if (typeof compiled !== 'function' || text.length > LONGEST_TEXT) return compiled;
  if (BY_TEXT.size >= MOST_TEXTS) BY_TEXT.clear();
  BY_TEXT.set(text, compiled);
  return compiled;
}

async function compile(schema: JsonObject, useDefaults: boolean, timeoutMs: number): Promise<Compiled> {
  const [{ Ajv }, { Ajv2020 }] = await Promise.all([import('ajv'), import('ajv/dist/2020.js')]);
  const { $schema, $id: _, ...own } = readable(schema);
  // A schema that does not say which draft it follows may use lists of schemas, which 2020-12 no longer has.
  const drafts = /draft-0\d/.test(String($schema)) ? [Ajv] : [Ajv2020, Ajv];
  let failure: Compiled | undefined;
  for (const Draft of drafts) {
    try {
      const run = runBounded(() => (new Draft({ ...OPTIONS, useDefaults }) as Ajv).compile(own), timeoutMs);
      if (run.isOver) return run.result;
      return { kind: 'overran', timeoutMs };
    } catch (error) {
      failure ??= unusable(error);
    }
  }
  return failure ?? unusable('');
}

const OPTIONS: Options = {
  allErrors: true,
  verbose: true,
  /** A schema may name a property `constructor`, which every object inherits. */
  ownProperties: true,
  strict: false,
  meta: false,
  validateSchema: false,
  validateFormats: false,
  logger: false,
};

/** Many schemas use OpenAPI's word `nullable`. A schema that has it without a type is still accepted. */
function readable(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    if (typeof value?.nullable !== 'boolean' || value.type !== undefined) return value;
    const { nullable: __, ...rest } = value;
    return rest;
  });
}

function unusable(error: unknown): Compiled & SchemaCheck {
  return { kind: 'unusable', reason: oneLine(error, MAX_REASON_CHARS) };
}

type BoundedRun<Result> = { readonly isOver: true; readonly result: Result } | { readonly isOver: false };

/**
 * Stops synchronous work that takes too long, which no other code could do, because no other code runs in the meantime.
 * Throws what `work` throws. When the time is over, the work stays half done.
 */
function runBounded<Result>(work: () => Result, timeoutMs: number): BoundedRun<Result> {
  place ??= createContext(Object.create(null));
  place.work = work;
  try {
    return { isOver: true, result: CALL.runInContext(place, { timeout: timeoutMs }) as Result };
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { isOver: false };
    throw error;
  } finally {
    place.work = undefined;
  }
}

const CALL = new Script('work()');
/** The context is used only for its time limit, so one context serves all calls. */
let place: Context | undefined;
