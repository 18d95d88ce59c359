import { describe, expect, it } from 'vitest';
import { configJsonSchema, configSchema, USED_SECTIONS } from './schema.ts';

describe('the schema of the configuration', () => {
  it('comes out as JSON Schema that editors can use', () => {
    const schema = configJsonSchema();
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema).toMatchObject({
      title: 'Atrium configuration',
      type: 'object',
      properties: {
        agents: {
          properties: { defaults: { properties: { bootstrapMaxChars: { type: 'number', exclusiveMinimum: 0 } } } },
        },
        bootstrap: { properties: { rules: { items: { properties: { when: { additionalProperties: false } } } } } },
      },
    });
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  it('changes nothing in what it accepts', () => {
    const value = { agents: { list: [{ id: 'a', own: { x: 1 } }] }, bootstrap: { more: [1] }, other: null };
    expect(configSchema.parse(value)).toEqual(value);
  });

  it('has these sections', () => {
    expect(USED_SECTIONS).toEqual([
      'acceptUnused',
      'accessGroups',
      'agents',
      'approvals',
      'auth',
      'bindings',
      'bootstrap',
      'channels',
      'commands',
      'cron',
      'delivery',
      'diagnostics',
      'env',
      'gateway',
      'hooks',
      'limits',
      'logging',
      'mcp',
      'memory',
      'messages',
      'models',
      'openboa',
      'plugins',
      'proxy',
      'recorder',
      'secrets',
      'session',
      'skills',
      'store',
      'tools',
    ]);
  });
});
