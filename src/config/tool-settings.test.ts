import { describe, expect, it } from 'vitest';
import { execSettingsOf, sessionVisibilityOf, webFetchSettingsOf } from './tool-settings.ts';

describe('the settings of exec', () => {
  it('ask for everything that no rule allows, when nothing is configured', () => {
    expect(execSettingsOf({}, 'main')).toEqual({
      security: 'allowlist',
      ask: 'on-miss',
      allow: [],
      env: [],
      timeoutSeconds: 120,
      maxOutputChars: 20_000,
    });
  });

  it('know the time limit by the name that existing configurations have for it', () => {
    expect(execSettingsOf({ tools: { exec: { timeoutSec: 1_800 } } }, 'main')).toMatchObject({ timeoutSeconds: 1_800 });
    const both = { tools: { exec: { timeoutSec: 1_800, timeoutSeconds: 60 } } };
    expect(execSettingsOf(both, 'main')).toMatchObject({ timeoutSeconds: 60 });
  });

  it('know the one word that newer versions of OpenClaw have for them', () => {
    const of = (mode: 'deny' | 'allowlist' | 'ask' | 'auto' | 'full') => {
      const { security, ask } = execSettingsOf({ tools: { exec: { mode } } }, 'main');
      return `${security} ${ask}`;
    };
    expect((['deny', 'allowlist', 'ask', 'auto', 'full'] as const).map(of)).toEqual([
      'deny off',
      'allowlist off',
      'allowlist on-miss',
      'allowlist on-miss',
      'full off',
    ]);
    const own = { agents: { entries: { coder: { tools: { exec: { mode: 'deny' as const } } } } } };
    expect(execSettingsOf({ tools: { exec: { mode: 'full' } }, ...own }, 'coder')).toMatchObject({ security: 'deny' });
    expect(execSettingsOf({ tools: { exec: { mode: 'full', security: 'deny' } } }, 'main').security).toBe('deny');
  });

  it('of an agent lie over the common ones, setting by setting', () => {
    const config = {
      tools: { exec: { allow: ['ls *'], timeoutSeconds: 30, env: ['CI'] } },
      agents: { list: [{ id: 'coder', tools: { exec: { security: 'full' as const, allow: [] } } }] },
    };
    expect(execSettingsOf(config, 'main')).toMatchObject({ security: 'allowlist', allow: ['ls *'] });
    expect(execSettingsOf(config, 'Coder')).toMatchObject({
      security: 'full',
      allow: [],
      timeoutSeconds: 30,
      env: ['CI'],
    });
  });
});

it('has limits, and allows no private host, unless the operator says otherwise', () => {
  const untouched = { allowHosts: [], maxBytes: 5_242_880, maxChars: 50_000, maxRedirects: 5, timeoutMs: 30_000 };
  expect(webFetchSettingsOf({})).toEqual(untouched);
  expect(webFetchSettingsOf({ tools: { web: { fetch: {} } } })).toEqual(untouched);
});

it('reads what the operator says', () => {
  const fetch = { allowHosts: ['wiki.lan'], maxBytes: 2_048, maxChars: 1_000, timeoutSeconds: 3 };
  expect(webFetchSettingsOf({ tools: { web: { fetch } } })).toEqual({
    allowHosts: ['wiki.lan'],
    maxBytes: 2_048,
    maxChars: 1_000,
    maxRedirects: 5,
    timeoutMs: 3_000,
  });
});

it('takes the lower one of two limits, whoever wrote it, and follows no more than 20 redirects', () => {
  const limits = (fetch: Record<string, number>) => webFetchSettingsOf({ tools: { web: { fetch } } });
  expect(limits({ maxResponseBytes: 40_000 }).maxBytes).toBe(40_000);
  expect(limits({ maxResponseBytes: 40_000, maxBytes: 2_048 }).maxBytes).toBe(2_048);
  expect(limits({ maxCharsCap: 300 }).maxChars).toBe(300);
  expect(limits({ maxCharsCap: 300, maxChars: 200 }).maxChars).toBe(200);
  expect([0, 7, 100].map((maxRedirects) => limits({ maxRedirects }).maxRedirects)).toEqual([0, 7, 20]);
});

it.each([
  [undefined, 'self'],
  ['self', 'self'],
  ['tree', 'self'],
  ['agent', 'agent'],
  ['all', 'agent'],
] as const)('reads tools.sessions.visibility %s as %s', (visibility, expected) => {
  expect(sessionVisibilityOf({ tools: { sessions: { visibility } } })).toBe(expected);
});
