import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { checkParams } from './check-params.ts';

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

describe('parameters', () => {
  it.each(CASES)('%j', (params, problems) => {
    expect(checkParams(SCHEMA, params)).toEqual(problems);
  });

  it('are not refused by words of a schema that are not known here', () => {
    const schema: JsonObject = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }], pattern: '^x' } } };
    expect(checkParams(schema, { a: 'y', b: 1 })).toEqual([]);
    expect(checkParams({}, 'anything')).toEqual([]);
  });

  it('with many problems name the first few', () => {
    const params = JSON.parse(JSON.stringify(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`p${at}`, at]))));
    const problems = checkParams(SCHEMA, params);
    expect(problems).toHaveLength(6);
    expect(problems.at(-1)).toBe('There are 5 more problems.');
  });
});
