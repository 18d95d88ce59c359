import { describe, expect, it } from 'vitest';
import { PluginRefusedError } from '../../plugins/errors.ts';
import type { PluginRegistration } from '../../plugins/registration.ts';
import { registryOf } from '../../testkit/registry-of.ts';
import { GatewayMethods } from './gateway-methods.ts';

type Handler = Extract<PluginRegistration, { kind: 'method' }>['handler'];

function method(name: string, handler: Handler): PluginRegistration {
  return { kind: 'method', method: name, handler };
}

function methodsOf(...registrations: readonly PluginRegistration[]) {
  const registry = registryOf({ id: 'p', registrations }, { id: 'late', registrations });
  return new GatewayMethods({ registry, own: { health: async () => ({ status: 'ok' }) }, timeoutMs: 30 });
}

describe('the methods of a gateway', () => {
  it("are its own and those of plugins, each name once and none of the gateway's own taken", async () => {
    const methods = methodsOf(
      method('p.greet', ({ name }) => `hi ${name}`),
      method('health', () => 'stolen'),
      method('sessions.steal', () => 'stolen'),
      method('two words', () => 'x'),
    );
    expect(methods.list()).toEqual([
      { method: 'health', plugin: null },
      { method: 'p.greet', plugin: 'p' },
    ]);
    expect(await methods.call('health', {}, {})).toEqual({ status: 'ok' });
    expect(await methods.call('p.greet', { name: 'Ada' }, {})).toBe('hi Ada');
    expect(methods.refused().filter(({ pluginId }) => pluginId === 'late')[0]).toEqual({
      pluginId: 'late',
      name: 'p.greet',
      because: 'the plugin "p" has it already',
    });
    expect(methods.refused().map(({ name }) => name)).toContain('sessions.steal');
  });

  it('give plain data that is no longer the plugin’s to change', async () => {
    const kept = { list: [1], when: new Date(0), fn: () => 1 };
    const answer = await methodsOf(method('p.data', () => kept as never)).call('p.data', {}, {});
    kept.list.push(2);
    expect(answer).toEqual({ list: [1], when: '1970-01-01T00:00:00.000Z' });
  });

  it('that nobody has are refused with the nearest name', async () => {
    const methods = methodsOf(method('p.greet', () => 1));
    await expect(methods.call('p.gret', {}, {})).rejects.toThrow('Did you mean "p.greet"?');
    await expect(methods.call('constructor', {}, {})).rejects.toMatchObject({ code: 'ATRIUM_HTTP_METHOD_UNKNOWN' });
  });

  it('of a plugin that fails or hangs say whose fault it is', async () => {
    const methods = methodsOf(
      method('p.fails', () => Promise.reject(new Error('out of\nluck'))),
      method('p.hangs', () => new Promise(() => {})),
      method('p.asks', () => Promise.reject(new PluginRefusedError({ pluginId: 'p', detail: 'no' }))),
    );
    await expect(methods.call('p.fails', {}, {})).rejects.toMatchObject({
      code: 'ATRIUM_PLUGIN_METHOD',
      message: 'The plugin "p" answered "p.fails" with an error: out of luck',
    });
    await expect(methods.call('p.hangs', {}, {})).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_TIMEOUT' });
    await expect(methods.call('p.asks', {}, {})).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_REFUSED' });
  });
});
