import { describe, expect, it } from 'vitest';
import { pluginSettingsOf } from './plugin-settings.ts';
import { configSchema } from './schema.ts';

const settingsOf = (plugins: object) => pluginSettingsOf(configSchema.parse({ plugins }), '/home/ana');

describe('plugin settings', () => {
  it('have everything on and nothing named when the configuration is silent', () => {
    expect(pluginSettingsOf({}, '/home/ana')).toEqual({
      enabled: true,
      allow: [],
      deny: [],
      loadPaths: [],
      slots: {},
      entries: {},
      worker: { memoryMb: 512, heartbeatMs: 1_000 },
    });
  });

  it('find paths from the home', () => {
    expect(settingsOf({ load: { paths: ['~/plugins', '/opt/one.ts'] } }).loadPaths).toEqual([
      '/home/ana/plugins',
      '/opt/one.ts',
    ]);
  });

  it('keep what is said of a plugin, its own configuration as written', () => {
    const { entries } = settingsOf({
      entries: {
        guard: { enabled: true, isolation: 'inline', config: { level: 3 }, hooks: { timeouts: { agent_end: 9 } } },
        quiet: {},
      },
    });
    expect(entries.guard).toEqual({
      enabled: true,
      isolation: 'inline',
      config: { level: 3 },
      hooks: { timeouts: { agent_end: 9 } },
    });
    expect(entries.quiet).toEqual({ hooks: {} });
  });

  it('leave the memory empty for "none", and open without a word', () => {
    expect(settingsOf({ slots: { memory: 'none' } }).slots).toEqual({ memory: null });
    expect(settingsOf({ slots: { memory: 'mem' } }).slots).toEqual({ memory: 'mem' });
  });

  it('take times of handlers from 1 to 600,000 ms only', () => {
    for (const timeoutMs of [0, 600_001, 1.5]) {
      expect(configSchema.safeParse({ plugins: { entries: { a: { hooks: { timeoutMs } } } } }).success).toBe(false);
    }
    expect(settingsOf({ entries: { a: { hooks: { timeoutMs: 600_000 } } } }).entries.a?.hooks.timeoutMs).toBe(600_000);
  });
});
