import { describe, expect, it } from 'vitest';
import { listUnusedSettings, openClawKeyOf } from './list-unused-settings.ts';

const paths = (config: object, variables: Record<string, string> = {}) =>
  listUnusedSettings(config, variables).map(({ path }) => path);

describe('settings that are not used', () => {
  it('are named by the setting, or by the section where none of it is used', () => {
    expect(
      paths({ browser: { enabled: true, headless: true }, agents: { defaults: { heartbeat: { model: 'x' } } } }),
    ).toEqual(['browser', 'agents.defaults.heartbeat.model']);
  });

  it('are not named when they ask for nothing, or for what happens anyway', () => {
    const agents = {
      defaults: { sandbox: { mode: 'off' } },
      list: [{ id: 'a', tools: { elevated: { enabled: false } } }],
    };
    const gateway = {
      mode: 'local',
      auth: { mode: 'token', password: 'x' },
      tailscale: { mode: 'off' },
      tls: { enabled: false },
    };
    const quiet = {
      agents,
      gateway,
      browser: { enabled: false },
      channels: { slack: { enabled: false } },
      cron: {},
      env: null,
    };
    expect(paths(quiet)).toEqual([]);
  });

  it('say that a start is refused: by the way of knowing callers, by TLS, by a proxy, by the environment', () => {
    const refused = (config: object, variables = {}) =>
      listUnusedSettings(config, variables).flatMap(({ path, refuses }) => (refuses === 'start' ? [path] : []));
    expect(refused({ gateway: { auth: { mode: 'trusted-proxy' } } })).toEqual(['gateway.auth.mode']);
    expect(refused({ gateway: { auth: { password: { source: 'env' } } } })).toEqual(['gateway.auth.password']);
    expect(refused({ gateway: { tls: { enabled: true, certPath: 'x' } } })).toEqual(['gateway.tls.enabled']);
    expect(refused({ proxy: { enabled: true } })).toEqual(['proxy.enabled']);
    expect(refused({ logging: { redactSensitive: 'off', redactPatterns: ['kennwort=.*'] } })).toEqual([]);
    expect(refused({}, { OPENCLAW_GATEWAY_PASSWORD: 'x' })).toEqual(['OPENCLAW_GATEWAY_PASSWORD']);
    expect(refused({ gateway: { auth: { mode: 'token' } } }, { OPENCLAW_GATEWAY_PASSWORD: 'x' })).toEqual([]);
    expect(refused({ acceptUnused: ['proxy.enabled'], proxy: { enabled: true } })).toEqual([]);
  });

  it.each([
    ['agents.list[1].sandbox', true],
    ['agents.list[].sandbox.mode', true],
    ['agents.list[0].sandbox', false],
    ['agents.list[1].sand', false],
    ['agents', true],
  ])('are accepted by their path, by a section above, or for all items: %s', (entry, isAccepted) => {
    const agents = { list: [{ id: 'a' }, { id: 'b', sandbox: { mode: 'all' } }] };
    expect(listUnusedSettings({ agents, acceptUnused: [entry] })).toMatchObject([{ isAccepted }]);
  });

  it('have the most exact row of the table', () => {
    expect(openClawKeyOf(['agents', 'list', 3, 'sandbox', 'mode'])).toMatchObject({ gate: 'tools' });
    expect(openClawKeyOf(['agents', 'list', 3, 'sandbox', 'docker', 'image'])).toMatchObject({ danger: 'harmless' });
    expect(openClawKeyOf(['agents', 'list', 3, 'nonsense'])).toBeUndefined();
  });
});
