import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { checkParams } from './check-params.ts';
import { ToolSchemaError } from './errors.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, maxLength: 10 },
    limit: { type: 'integer', minimum: 1, maximum: 5 },
    ratio: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    mode: { type: 'string', enum: ['fast', 'slow'] },
    either: { type: ['string', 'null'] },
    kinds: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
    deep: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'], additionalProperties: false },
    tags: { type: 'object', additionalProperties: { type: 'number' } },
    free: true,
  },
  required: ['path'],
  additionalProperties: false,
};

const CASES: [JsonValue, readonly string[]][] = [
  [{ path: 'a', limit: 5, ratio: 0.5, mode: 'fast', either: null, kinds: ['a'], deep: { on: true }, free: [] }, []],
  [{}, ['path is required.']],
  ['{"path":"a"}', ['The parameters must be an object, not "{\\"path\\":\\"a\\"}".']],
  [['a'], ['The parameters must be an object, not a list.']],
  [null, ['The parameters must be an object, not null.']],
  [{ path: 3 }, ['path must be a text, not 3.']],
  [{ path: '' }, ['path must not be empty.']],
  [{ path: 'x'.repeat(11) }, ['path must have at most 10 characters, not 11.']],
  [{ path: 'a', limit: '5' }, ['limit must be a whole number, not "5".']],
  [{ path: 'a', limit: 1.5 }, ['limit must be a whole number, not 1.5.']],
  [{ path: 'a', limit: 0 }, ['limit must be at least 1, not 0.']],
  [{ path: 'a', limit: 9 }, ['limit must be at most 5, not 9.']],
  [{ path: 'a', ratio: 0 }, ['ratio must be above 0, not 0.']],
  [{ path: 'a', ratio: 1 }, ['ratio must be below 1, not 1.']],
  [{ path: 'a', mode: 'warp' }, ['mode must be one of "fast", "slow", not "warp".']],
  [{ path: 'a', either: 1 }, ['either must be a text or null, not 1.']],
  [{ path: 'a', kinds: [] }, ['kinds must not be empty.']],
  [{ path: 'a', kinds: ['a', 'c'] }, ['kinds[1] must be one of "a", "b", not "c".']],
  [{ path: 'a', deep: {} }, ['deep.on is required.']],
  [
    { path: 'a', deep: { on: 'yes', off: 1 } },
    ['deep.on must be true or false, not "yes".', 'There is no parameter deep.off; there are on.'],
  ],
  [{ path: 'a', tags: { x: 'y' } }, ['tags.x must be a number, not "y".']],
  [{ path: 'a', limt: 1 }, ['There is no parameter limt; did you mean limit?']],
  [
    { path: 'a', constructor: 1 },
    [expect.stringContaining('There is no parameter constructor; there are path, limit')],
  ],
];

/** Every other word of JSON Schema counts too: the schema of one parameter, a value, what is said of it. */
const WORDS: [JsonObject, JsonValue, string][] = [
  [{ pattern: '^x' }, 'y', 'a must match ^x, not "y".'],
  [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, 3, 'a must be a text or a list, not 3.'],
  [
    { anyOf: [{ const: 'all' }, { type: 'object', required: ['id'] }] },
    {},
    'a fits none of the forms that are allowed: a must be one of "all", not an object; a.id is required.',
  ],
  [{ oneOf: [{ minimum: 1 }, { maximum: 5 }] }, 3, 'a must fit one form only, and fits several.'],
  [
    { oneOf: [{ $ref: '#/$defs/id' }, { type: 'null' }] },
    'x',
    'a fits none of the forms that are allowed: a must match ^id, not "x"; a must be null, not "x".',
  ],
  [{ allOf: [{ $ref: '#/$defs/id' }] }, 'x', 'a must match ^id, not "x".'],
  [{ const: 'on' }, 'off', 'a must be one of "on", not "off".'],
  [{ enum: [{ x: 1, y: 2 }] }, { y: 2, x: 2 }, 'a must be one of {"x":1,"y":2}, not an object.'],
  [{ not: { const: 1 } }, 1, 'a must not be 1.'],
  [{ multipleOf: 5 }, 7, 'a must be a multiple of 5, not 7.'],
  [{ uniqueItems: true }, [1, 2, 1], 'a must not have the same entry twice: 0 and 2 are equal.'],
  [{ minProperties: 1 }, {}, 'a must not be empty.'],
  [{ dependentRequired: { x: ['y'] } }, { x: 1 }, 'a.y is required when a.x is given.'],
  [{ patternProperties: { '^n': { type: 'number' } } }, { n1: 'x' }, 'a.n1 must be a number, not "x".'],
  [{ propertyNames: { maxLength: 2 } }, { long: 1 }, 'The name "long" must have at most 2 characters, not 4.'],
  [{ if: { required: ['x'] }, else: { required: ['y'] } }, {}, 'a.y is required.'],
  [{ prefixItems: [{ type: 'string' }], items: false }, ['x', 'y'], 'a must NOT have more than 1 items.'],
  [{ items: [{ type: 'string' }] }, [1], 'a[0] must be a text, not 1.'],
  [{ properties: { x: {} }, unevaluatedProperties: false }, { zoo: 1 }, 'There is no parameter a.zoo; there are x.'],
  [{ maxLength: 2 }, '\u{1F600}\u{1F600}\u{1F600}', 'a must have at most 2 characters, not 3.'],
];

const toolOf = (parameters: JsonObject) => ({ name: 'probe', parameters });

describe('parameters', () => {
  it.each(CASES)('%j', async (params, problems) => {
    expect(await checkParams(toolOf(SCHEMA), params)).toEqual(problems);
  });

  it.each(WORDS)('are held to %j', async (a, value, problem) => {
    const schema: JsonObject = { type: 'object', properties: { a }, $defs: { id: { type: 'string', pattern: '^id' } } };
    expect(await checkParams(toolOf(schema), { a: value })).toEqual([problem]);
  });

  it('follow the draft that the schema names, and the newest one when it names none', async () => {
    const pair: JsonObject = { properties: { a: { items: [{ type: 'string' }], additionalItems: false } } };
    const draft7: JsonObject = { $schema: 'http://json-schema.org/draft-07/schema#', ...pair };
    expect(await checkParams(toolOf(draft7), { a: ['x', 1] })).toEqual(['a must NOT have more than 1 items.']);
    const newest: JsonObject = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { a: { prefixItems: [{ type: 'string' }] } },
    };
    expect(await checkParams(toolOf(newest), { a: [1] })).toEqual(['a[0] must be a text, not 1.']);
    const { $schema: _, ...unnamed } = newest;
    expect(await checkParams(toolOf(unnamed), { a: [1] })).toEqual(['a[0] must be a text, not 1.']);
  });

  it('are not refused for a word that JSON Schema does not have, nor for a format', async () => {
    const a: JsonObject = { type: 'string', format: 'uri', 'x-hint': 1, example: 'y', anyOf: [{ nullable: true }] };
    expect(await checkParams(toolOf({ type: 'object', properties: { a } }), { a: 'y', b: 1 })).toEqual([]);
    expect(await checkParams(toolOf({}), 'anything')).toEqual([]);
    expect(await checkParams(toolOf({ type: 'object', nullable: true }), null)).toEqual([]);
  });

  it('are left as they are: no default is written into them', async () => {
    const params = {};
    await checkParams(toolOf({ type: 'object', properties: { a: { default: 1 } } }), params);
    expect(params).toEqual({});
  });

  it('may have names that every object seems to have', async () => {
    const schema: JsonObject = { properties: { constructor: { type: 'string' } }, required: ['toString'] };
    expect(await checkParams(toolOf(schema), {})).toEqual(['toString is required.']);
  });

  it('with many problems name the first few', async () => {
    const params = JSON.parse(JSON.stringify(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`p${at}`, at]))));
    const problems = await checkParams(toolOf(SCHEMA), params);
    expect(problems).toHaveLength(6);
    expect(problems.at(-1)).toBe('There are 5 more problems.');
  });
});

describe('a schema that cannot be used', () => {
  it.each<[JsonObject, string]>([
    [{ type: 'objekt' }, 'objekt'],
    [{ $ref: 'https://example.invalid/other.json' }, "can't resolve reference https://example.invalid/other.json"],
    [{ $ref: '#/$defs/missing' }, "can't resolve reference #/$defs/missing"],
    [{ properties: { a: { pattern: '(' } } }, 'Invalid regular expression'],
    [{ required: true }, 'required'],
  ])('is named, fetched from nowhere, and harms no other one: %j', async (schema, reason) => {
    for (const _ of ['first', 'again']) {
      const failed = checkParams(toolOf(schema), { a: 'b' });
      await expect(failed).rejects.toThrow(ToolSchemaError);
      await expect(failed).rejects.toThrow(`probe was not called, because the JSON Schema of its parameters`);
      await expect(failed).rejects.toThrow(reason);
    }
    expect(await checkParams(toolOf(SCHEMA), { path: 'a' })).toEqual([]);
  });

  it('is one whose pattern would take for ever', async () => {
    const tool = toolOf({ type: 'object', properties: { x: { pattern: '^(a+)+$' } } });
    expect(await checkParams(tool, { x: 'aaa' })).toEqual([]);
    await expect(checkParams(tool, { x: `${'a'.repeat(40)}!` }, 50)).rejects.toThrow('within 0.05 s');
    expect(await checkParams(tool, { x: 'aaa' })).toEqual([]);
  });
});
