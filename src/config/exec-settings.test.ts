import { describe, expect, it } from 'vitest';
import { execSettingsOf } from './exec-settings.ts';

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
