// Checks a value against a JSON Schema that comes from outside: from a plugin or an MCP server. It understands draft-07
// and 2020-12. It fetches nothing and does not check formats. Reading the schema and checking a value are both limited
// in time, because a pattern may take for ever. The caller decides how a problem is worded.
//
// Result: a schema that cannot be used is an outcome with the reason. Errors: none.

import { type Context, createContext, Script } from 'node:vm';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import type { JsonObject, JsonValue } from './json.ts';
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
  const compiled = known.get(schema) ?? (await compile(schema, fillsDefaults, timeoutMs));
  known.set(schema, compiled);
  if (typeof compiled !== 'function') return compiled;
  try {
    const run = runBounded(() => (compiled(value) ? [] : (compiled.errors ?? [])), timeoutMs);
    return run.isOver ? { kind: 'checked', problems: run.result } : { kind: 'overran', timeoutMs };
  } catch (error) {
    return unusable(error);
  }
}

/** The result of reading a schema. It is kept as long as the schema itself. */
type Compiled = ValidateFunction | Exclude<SchemaCheck, { readonly kind: 'checked' }>;
const PLAIN = new WeakMap<JsonObject, Compiled>();
const FILLING = new WeakMap<JsonObject, Compiled>();

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
