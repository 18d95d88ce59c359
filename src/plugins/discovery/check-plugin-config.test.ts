import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { checkPluginConfig } from './check-plugin-config.ts';

const SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://example.invalid/schema.json',
  type: 'object',
  additionalProperties: false,
  required: ['apiKey'],
  properties: {
    apiKey: { type: 'string', minLength: 10, format: 'secret' },
    mode: { enum: ['enforce', 'audit'], default: 'enforce' },
    limits: { type: 'object', properties: { most: { type: 'integer', default: 5 } } },
    hosts: { type: 'array', items: { type: 'string' }, default: [] },
  },
};

/** Each of them means the next one twice. */
function doubling(count: number): JsonObject {
  const both = (next: string) => ({ allOf: [{ $ref: next }, { $ref: next }] });
  const names = Array.from({ length: count }, (_, index) => `#/$defs/d${index + 1}`);
  const links = names.map((next, index): [string, JsonObject] => [`d${index}`, both(next)]);
  return { ...Object.fromEntries(links), [`d${count}`]: { type: 'object' } };
}

const problemsOf = async (config: object, schema: JsonObject = SCHEMA) => {
  const checked = await checkPluginConfig('guard', schema, config as Record<string, unknown>);
  return checked.ok ? [] : checked.problems;
};

describe("a plugin's configuration", () => {
  it('gets the defaults of its schema, and what was written stays untouched', async () => {
    const written = { apiKey: '0123456789', limits: {} };
    expect(await checkPluginConfig('guard', SCHEMA, written)).toEqual({
      ok: true,
      config: { apiKey: '0123456789', mode: 'enforce', limits: { most: 5 }, hosts: [] },
    });
    expect(written).toEqual({ apiKey: '0123456789', limits: {} });
  });

  it('is taken as it is when there is no schema', async () => {
    expect(await checkPluginConfig('guard', undefined, { any: ['thing'] })).toEqual({
      ok: true,
      config: { any: ['thing'] },
    });
    expect(await checkPluginConfig('guard', undefined)).toEqual({ ok: true, config: {} });
  });

  it('is refused with every place and what is expected there', async () => {
    expect(await problemsOf({ mod: 'audit', mode: 'off', limits: { most: 'x' }, hosts: [1] })).toEqual([
      'plugins.entries.guard.config.apiKey is missing.',
      'plugins.entries.guard.config.mod is not a setting of this plugin. Did you mean "mode"?',
      'plugins.entries.guard.config.mode must be "enforce" or "audit".',
      'plugins.entries.guard.config.limits.most must be integer.',
      'plugins.entries.guard.config.hosts.0 must be string.',
    ]);
  });

  it('is never told back: it may hold secrets', async () => {
    const problems = await problemsOf({ apiKey: 'sk-1', mode: 'sk-2', hosts: 'sk-3' });
    expect(problems).toHaveLength(3);
    expect(problems.join(' ')).not.toContain('sk-');
  });

  it.each<[string, JsonObject]>([
    ['a pattern', { properties: { x: { pattern: '^(a+)+$', default: `${'a'.repeat(40)}!` } } }],
    ['references', { $defs: doubling(40), allOf: [{ $ref: '#/$defs/d0' }] }],
  ])('is refused when %s of the schema would take for ever', async (_, schema) => {
    expect(await checkPluginConfig('guard', { type: 'object', ...schema }, {}, 50)).toEqual({
      ok: false,
      problems: ['Its configSchema could not be checked within 0.05 s.'],
    });
    expect(await problemsOf({ apiKey: '0123456789' })).toEqual([]);
  });

  it('has few enough problems to be read', async () => {
    const extra = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`unknown${index}`, 1]));
    const problems = await problemsOf({ apiKey: '0123456789', ...extra });
    expect(problems).toHaveLength(11);
    expect(problems.at(-1)).toBe('There are 20 more problems.');
  });

  it.each<JsonObject>([
    { type: 'objekt' },
    { $ref: 'https://example.invalid/other.json' },
    { properties: { a: { pattern: '(' } } },
  ])('is not checked by a schema that cannot be used, which is said and fetched from nowhere', async (schema) => {
    expect(await checkPluginConfig('guard', schema, { a: 'b' })).toEqual({
      ok: true,
      config: { a: 'b' },
      warning: expect.stringContaining('Its configSchema cannot be used'),
    });
  });
});
