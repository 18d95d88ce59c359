import { describe, expect, it } from 'vitest';
import { parseConfigPath } from '../../src/config/parse-config-path.ts';
import { configJsonSchema } from '../../src/config/schema.ts';
import { formatAddress, formatField, parseField, readSections } from './read-schema.ts';

const values = {
  agents: { defaults: { model: 'a/b' }, list: [{ id: 'main' }] },
  models: { providers: { 'my host': { baseUrl: 'http://x', apiKey: '[hidden]' } } },
  gateway: { port: 18790 },
};
const sections = readSections(configJsonSchema(), values);
const fields = sections.flatMap((section) => section.fields);
const field = (setting: string) => fields.find((each) => each.setting === setting);

describe('the settings as a form', () => {
  it('have a section for each part of the schema, and say how much of it is set', () => {
    const schema = configJsonSchema() as { properties: object };
    expect(sections.map(({ name }) => name)).toEqual(
      Object.keys(schema.properties).filter((name) => !name.startsWith('$')),
    );
    expect(sections.find(({ name }) => name === 'gateway')?.set).toBe(1);
  });

  it('have a field of the right kind for each setting, with its sentence', () => {
    expect(field('gateway.port')).toMatchObject({ kind: 'number', value: 18790 });
    expect(field('models.providers["my host"].apiKey')).toMatchObject({ kind: 'secret' });
    expect(field('tools.deny')).toMatchObject({ kind: 'texts', value: undefined });
    expect(field('agents.list[0].id')).toMatchObject({ value: 'main' });
    expect(field('gateway.port')?.description).not.toBe('');
  });

  it('have addresses that the gateway reads as the same place', () => {
    for (const path of [
      ['a', 'b'],
      ['agents', 'list', 0, 'model'],
      ['channels', 'slack', 'channels', 'a b"c'],
    ])
      expect(parseConfigPath(formatAddress(path))).toEqual(path);
    for (const { setting } of fields) expect(parseConfigPath(setting), setting).toBeDefined();
  });

  it('give back what is in a field, and say what cannot be read', () => {
    for (const value of [1, true, 'x', ['a', 'b'], { a: [1] }]) {
      const kind = { number: 'number', boolean: 'flag', string: 'text', object: 'json' }[typeof value as 'number'];
      const used = Array.isArray(value) ? 'texts' : (kind as 'json');
      expect(parseField(used, formatField(used, value))).toEqual({ value });
    }
    expect(parseField('number', 'seven')).toEqual({ problem: 'This is not a number.' });
    expect(parseField('json', '{')).toEqual({ problem: 'This is not JSON.' });
  });
});
