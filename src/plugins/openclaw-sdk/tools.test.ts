import { describe, expect, it } from 'vitest';
import { createPluginApi } from '../api/create-plugin-api.ts';
import { recordingHost, ScratchPlugins } from '../fixtures/scratch-plugins.ts';
import type { PluginRegistration } from '../registration.ts';
import { buildJsonPluginConfigSchema, buildPluginConfigSchema, emptyPluginConfigSchema } from './config-schema.ts';
import {
  defineChannelPluginEntry,
  definePluginEntry,
  defineToolPlugin,
  getToolPluginMetadata,
} from './define-plugin.ts';
import type { PluginApi } from './plugin-api.ts';
import {
  createActionGate,
  optionalStringEnum,
  readBooleanParam,
  readNumberParam,
  readReactionParams,
  readStringArrayParam,
  readStringOrNumberParam,
  readStringParam,
  ToolAuthorizationError,
  ToolInputError,
} from './tool-params.ts';
import { extractToolPayload, imageResult, jsonResult, payloadTextResult, textResult } from './tool-results.ts';

describe('reading what a model gave to a tool', () => {
  const params = {
    city: '  Lisbon ',
    max_results: '7',
    days: 2.9,
    tags: ['a', ' ', 1, 'b '],
    one: 'x',
    on: 'TRUE',
    empty: '',
  };

  it('understands either spelling, and numbers that are written as texts', () => {
    expect(readStringParam(params, 'city')).toBe('Lisbon');
    expect(readStringParam(params, 'city', { trim: false })).toBe('  Lisbon ');
    expect(readNumberParam(params, 'maxResults')).toBe(7);
    expect(readNumberParam(params, 'days', { integer: true })).toBe(2);
    expect(readStringOrNumberParam(params, 'days')).toBe('2.9');
    expect(readStringArrayParam(params, 'tags')).toEqual(['a', 'b']);
    expect(readStringArrayParam(params, 'one')).toEqual(['x']);
    expect([readBooleanParam(params, 'on'), readBooleanParam(params, 'city')]).toEqual([true, undefined]);
  });

  it('says what is missing where it is required', () => {
    expect([readStringParam(params, 'empty'), readStringParam(params, 'empty', { allowEmpty: true })]).toEqual([
      undefined,
      '',
    ]);
    expect(() => readStringParam(params, 'empty', { required: true, label: 'The name' })).toThrow(
      new ToolInputError('The name is required.'),
    );
    expect(() => readNumberParam({ n: '7 days' }, 'n', { required: true, strict: true })).toThrow('n is required');
    expect(() => readStringParam({}, 'constructor', { required: true })).toThrow(ToolInputError);
    expect(() => readReactionParams({ emoji: '', remove: true }, { removeErrorMessage: 'which?' })).toThrow('which?');
    expect(new ToolAuthorizationError('no')).toMatchObject({ status: 403, name: 'ToolAuthorizationError' });
  });

  it('knows which actions are on', () => {
    const gate = createActionGate({ send: false });
    expect([gate('send'), gate('other'), gate('other', false)]).toEqual([false, true, false]);
  });

  it('makes schemas that builders take for their own', async () => {
    const { Type } = await import('typebox');
    const schema = JSON.parse(
      JSON.stringify(Type.Object({ a: Type.String(), b: optionalStringEnum(['x', 'y']) as never })),
    );
    expect(schema).toMatchObject({ required: ['a'], properties: { b: { type: 'string', enum: ['x', 'y'] } } });
  });
});

describe('answers of tools', () => {
  it('have a text for the model and details for programs', async () => {
    expect(jsonResult({ a: 1 })).toEqual({ content: [{ type: 'text', text: '{\n  "a": 1\n}' }], details: { a: 1 } });
    expect(textResult('t', { a: 1 })).toEqual({ content: [{ type: 'text', text: 't' }], details: { a: 1 } });
    expect(payloadTextResult('plain').content[0]?.text).toBe('plain');
    expect(jsonResult(undefined).content[0]?.text).toBe('null');
    const image = await imageResult({
      label: 'l',
      path: '/p.png',
      base64: 'AA==',
      mimeType: 'image/png',
      extraText: 'see',
    });
    expect(image.content.map(({ type }) => type)).toEqual(['text', 'image']);
  });

  it('give back what they are about', () => {
    expect(extractToolPayload(jsonResult({ a: 1 }))).toEqual({ a: 1 });
    expect(extractToolPayload({ content: [{ type: 'text', text: '{"b":2}' }] })).toEqual({ b: 2 });
    expect(extractToolPayload({ content: [{ type: 'text', text: 'words' }] })).toBe('words');
    expect(extractToolPayload(null)).toBe(null);
  });
});

describe('the schema of a configuration', () => {
  it('may be none, JSON Schema or zod', async () => {
    const empty = emptyPluginConfigSchema();
    expect([
      empty.safeParse?.(undefined).success,
      empty.safeParse?.({}).success,
      empty.safeParse?.({ a: 1 }).success,
    ]).toEqual([true, true, false]);
    const json = buildJsonPluginConfigSchema({ type: 'object', properties: { n: { type: 'number', default: 3 } } });
    expect(json.safeParse?.({})).toEqual({ success: true, data: { n: 3 } });
    expect(json.safeParse?.({ n: 'x' })).toMatchObject({ success: false, error: { issues: [{ path: ['n'] }] } });
    const { z } = await import('zod');
    const built = buildPluginConfigSchema(z.object({ n: z.number() }) as never);
    expect(built.safeParse?.({ n: 1 })).toMatchObject({ success: true });
    expect(built.jsonSchema).toMatchObject({ type: 'object', properties: { n: { type: 'number' } } });
  });

  it('is made when somebody looks, and once', () => {
    let made = 0;
    const configSchema = () => ({ jsonSchema: { made: ++made } });
    const entry = definePluginEntry({ id: 'a', name: 'A', description: 'A.', configSchema, register: () => undefined });
    expect(made).toBe(0);
    expect([entry.configSchema.jsonSchema, entry.configSchema.jsonSchema]).toEqual([{ made: 1 }, { made: 1 }]);
  });
});

describe('kinds of plugins', () => {
  async function registered(register: (api: PluginApi) => unknown): Promise<PluginRegistration[]> {
    const scratch = await ScratchPlugins.create();
    const registrations: PluginRegistration[] = [];
    try {
      const setup = await scratch.write('nice', '', { pluginConfig: { unit: 'C' } });
      const collect = { register: (each: PluginRegistration) => void registrations.push(each), note: () => undefined };
      await register(createPluginApi(setup, recordingHost(), collect));
    } finally {
      await scratch.remove();
    }
    return registrations;
  }

  it('that are tools get their configuration with every call', async () => {
    const plugin = defineToolPlugin({
      id: 'weather',
      name: 'Weather',
      description: 'Tells the weather.',
      tools: (tool) => [
        tool({
          name: 'now',
          description: 'Now.',
          parameters: { type: 'object' },
          optional: true,
          execute: ({ city }, { unit }, { toolCallId }) => ({ city, unit, toolCallId }),
        }),
        tool({ name: 'never', description: 'Never.', parameters: {}, factory: () => null }),
      ],
    });
    expect(getToolPluginMetadata(plugin)).toMatchObject({
      id: 'weather',
      tools: [{ name: 'now', optional: true }, { name: 'never' }],
    });
    const [now, never] = await registered(plugin.register);
    if (now?.kind !== 'tool' || never?.kind !== 'tool') throw new Error('two tools were expected');
    expect([now.names, now.optional, never.names]).toEqual([['now'], true, ['never']]);
    const [tool] = await now.make({});
    const { details } = (await tool?.execute('call-1', { city: 'Lisbon' }, new AbortController().signal)) ?? {};
    expect(details).toEqual({ city: 'Lisbon', unit: 'C', toolCallId: 'call-1' });
    expect(await never.make({})).toEqual([]);
  });

  it('that are channels load with what else they bring', async () => {
    const entry = defineChannelPluginEntry({
      id: 'fax',
      name: 'Fax',
      description: 'Faxes.',
      plugin: { id: 'fax' },
      registerFull: (api) => api.registerCommand({ name: 'fax', description: 'Fax.', handler: () => 'beep' }),
    });
    expect((await registered(entry.register)).map(({ kind }) => kind)).toEqual(['unused', 'command']);
  });
});
