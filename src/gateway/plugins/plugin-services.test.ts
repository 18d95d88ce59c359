import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PluginRegistration } from '../../plugins/registration.ts';
import { registryOf } from '../../testkit/registry-of.ts';
import { PluginServices } from './plugin-services.ts';

function service(id: string, said: string[], changes: { start?: () => unknown; stop?: () => unknown } = {}) {
  return {
    kind: 'service',
    id,
    start: changes.start ?? (() => void said.push(`start ${id}`)),
    stop: changes.stop ?? (() => void said.push(`stop ${id}`)),
  } as PluginRegistration;
}

function servicesOf(registry: ReturnType<typeof registryOf>) {
  const warnings: string[] = [];
  const services = new PluginServices({ registry, warn: (text) => warnings.push(text), startMs: 30, stopMs: 30 });
  return { services, warnings };
}

describe('the services of plugins', () => {
  it('start in order and stop in reverse', async () => {
    const said: string[] = [];
    const { services } = servicesOf(registryOf({ id: 'p', registrations: [service('a', said), service('b', said)] }));
    await services.open();
    expect(services.statuses().map(({ id, state }) => `${id} ${state}`)).toEqual(['a running', 'b running']);
    await services.close();
    expect(said).toEqual(['start a', 'start b', 'stop b', 'stop a']);
    expect(services.statuses()).toEqual([]);
  });

  it('cost nobody anything but themselves when they throw or hang', async () => {
    const said: string[] = [];
    const fails = () => {
      throw new Error('no port');
    };
    const never = () => new Promise(() => {});
    const registry = registryOf(
      {
        id: 'bad',
        registrations: [
          service('broken', said, { start: fails }),
          service('stuck', said, { start: never, stop: never }),
        ],
      },
      { id: 'good', registrations: [service('fine', said)] },
    );
    const { services, warnings } = servicesOf(registry);
    await services.open();
    expect(services.statuses().toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      { pluginId: 'bad', id: 'broken', state: 'failed', error: 'no port' },
      { pluginId: 'good', id: 'fine', state: 'running' },
      { pluginId: 'bad', id: 'stuck', state: 'slow' },
    ]);
    await services.close();
    expect(warnings).toEqual([
      'The service broken of the plugin "bad" did not start: no port',
      'The plugin "bad" did not answer within 30 ms: the start of its service stuck. Everything else goes on without it.',
      'The service stuck of the plugin "bad" did not stop well: The plugin "bad" did not answer within 30 ms: the stop of its service stuck.',
    ]);
    expect(said).toContain('stop fine');
  });

  it('of one plugin have one time together, and so have plugins', async () => {
    const said: string[] = [];
    const never = () => new Promise(() => {});
    const stuck = (id: string) =>
      service(id, said, {
        start: () => {
          said.push(`start ${id}`);
          return never();
        },
        stop: () => {
          said.push(`stop ${id}`);
          return never();
        },
      });
    const ids = Array.from({ length: 10 }, (_, index) => `s${index}`);
    const registry = registryOf(
      ...['p', 'q'].map((id) => ({ id, registrations: ids.map((each) => stuck(`${id} ${each}`)) })),
    );
    const services = new PluginServices({ registry, warn: () => {}, startMs: 200, stopMs: 200 });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const done: string[] = [];
    // One after the other they would take two seconds each way, and twice that for both plugins.
    void services.open().then(() => done.push('open'));
    await vi.advanceTimersByTimeAsync(300);
    expect(done).toEqual(['open']);
    void services.close().then(() => done.push('closed'));
    await vi.advanceTimersByTimeAsync(300);
    expect(done).toEqual(['open', 'closed']);
    expect(said).toHaveLength(40);
  });

  it('of a plugin that is loaded again stop before the new ones start', async () => {
    const said: string[] = [];
    const registry = registryOf({ id: 'p', registrations: [service('old', said)] });
    const { services } = servicesOf(registry);
    await services.open();
    await registry.load({ id: 'p', registrations: [service('new', said)] });
    expect(said).toEqual(['start old', 'stop old', 'start new']);
    await registry.unload('p');
    expect(said.at(-1)).toBe('stop new');
    await services.close();
    expect(said).toHaveLength(4);
  });
});
